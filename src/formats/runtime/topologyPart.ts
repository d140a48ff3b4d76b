// A part of a topology that runs as one graph: all of it, or what a map runs for each item.
import type { Link } from '../../actions/flow/layers.js';
import { isConditional, type MapNode, type Topology, type TopologyEdge, type TopologyNode } from './manifest.js';

/** Nodes by id and edges by their place in the document. */
export type TopologyPart = {
  nodes: ReadonlyMap<string, { node: TopologyNode; index: number }>;
  edges: ReadonlyMap<number, TopologyEdge>;
};

/** Of nodes with the same id the last one counts, as in the reference. */
export function wholeTopology({ nodes, edges }: Topology): TopologyPart {
  return { nodes: new Map(nodes.map((node, index) => [node.id, { node, index }])), edges: new Map(edges.entries()) };
}

export function edgeTargets(edge: TopologyEdge): string[] {
  return isConditional(edge) ? [...new Set(Object.values(edge.mapping))] : [edge.target_node_id];
}

export function partLinks({ edges }: TopologyPart): Link[] {
  return [...edges.values()].flatMap((edge) => edgeTargets(edge).map((to) => ({ from: edge.source_node_id, to })));
}

/** The edges that leave each node, with their places. */
export function groupEdgesBySource({ edges }: TopologyPart): ReadonlyMap<string, readonly [number, TopologyEdge][]> {
  const from = new Map<string, [number, TopologyEdge][]>();
  for (const [index, edge] of edges) {
    const others = from.get(edge.source_node_id) ?? [];
    others.push([index, edge]);
    from.set(edge.source_node_id, others);
  }
  return from;
}

/** An edge that leaves what a map runs for its items. `isSplit`: some of its targets are inside. */
type LeavingEdge = { index: number; edge: TopologyEdge; map: string; isSplit: boolean };

/** Those of the maps of this part; where they lead runs once, after the map. */
export function findLeavingEdges(part: TopologyPart): LeavingEdge[] {
  const owners = findMapOwners(part);
  return [...part.edges].flatMap(([index, edge]): LeavingEdge[] => {
    const map = owners.get(edge.source_node_id);
    const outside = edgeTargets(edge).filter((to) => map !== undefined && owners.get(to) !== map);
    if (map === undefined || outside.length === 0) return [];
    return [{ index, edge, map, isSplit: outside.length < edgeTargets(edge).length }];
  });
}

/** Which map a node runs for, when it runs for nothing else. */
function findMapOwners(part: TopologyPart): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { node } of part.nodes.values()) {
    const { ids, isOwn } = node.type === 'map' ? findBranch(node, part) : emptyBranch;
    if (isOwn) for (const id of ids) owners.set(id, node.id);
  }
  return owners;
}

/** Without what runs only for items of a map. An edge that leaves it goes on after the map. */
export function withoutProcessors(part: TopologyPart): TopologyPart {
  const owners = findMapOwners(part);
  if (owners.size === 0) return part;
  const edges = [...part.edges].map(([index, edge]): [number, TopologyEdge] => {
    const owner = owners.get(edge.source_node_id);
    const goesOn = owner !== undefined && edgeTargets(edge).every((to) => to !== owner && !owners.has(to));
    return [index, goesOn ? { ...edge, source_node_id: owner } : edge];
  });
  const remaining = [...part.nodes.keys()].filter((id) => !owners.has(id));
  return keepNodes({ ...part, edges: new Map(edges) }, remaining);
}

/** What a map runs for each item. */
export function mapProcessor(map: MapNode, part: TopologyPart): TopologyPart {
  return keepNodes(part, findBranch(map, part).ids);
}

type Branch = { ids: ReadonlySet<string>; isOwn: boolean };

const emptyBranch: Branch = { ids: new Set(), isOwn: false };

/** The node that a map names and what follows from nowhere else. `isOwn`: only the map runs it. */
function findBranch(map: MapNode, part: TopologyPart): Branch {
  const first = map.processor_node_id;
  if (!part.nodes.has(first) || first === map.id) return emptyBranch;
  const from = groupEdgesBySource(part);
  const all = collectReachable([first], from);
  // A way back to the map itself goes on after it, not for each item.
  const reached = all.has(map.id) ? new Set([first]) : all;
  const entries = partLinks(part).filter(
    (link) => reached.has(link.to) && !reached.has(link.from) && !(link.from === map.id && link.to === first),
  );
  const shared = collectReachable(
    entries.map(({ to }) => to),
    from,
  );
  return { ids: new Set([first, ...[...reached].filter((id) => !shared.has(id))]), isOwn: !shared.has(first) };
}

function collectReachable(starts: readonly string[], from: ReturnType<typeof groupEdgesBySource>): Set<string> {
  const reached = new Set(starts);
  for (const id of reached) for (const [, edge] of from.get(id) ?? []) for (const to of edgeTargets(edge)) reached.add(to);
  return reached;
}

function keepNodes({ nodes, edges }: TopologyPart, ids: Iterable<string>): TopologyPart {
  const keptIds = new Set(ids);
  const joins = (edge: TopologyEdge): boolean =>
    keptIds.has(edge.source_node_id) && edgeTargets(edge).some((to) => keptIds.has(to));
  return {
    nodes: new Map([...nodes].filter(([id]) => keptIds.has(id))),
    edges: new Map([...edges].filter(([, edge]) => joins(edge))),
  };
}

const safeIdPattern = /^[A-Za-z0-9_.-]{1,128}$/;
const reservedIds = new Set(['inputs', 'params', 'saved', 'item', 'output', 'recover', '__proto__', 'constructor', 'prototype']);

/** How questions that are not the author's are called. */
const questionIdPattern = /^(?:approval|voter-\d+)\./;

/** Ids that are safe in paths and reports, by the ids as authored. */
export function safeIds(ids: Iterable<string>): Map<string, string> {
  const all = [...ids];
  const used = new Set(all.filter((id) => safeIdPattern.test(id) && !reservedIds.has(id) && !questionIdPattern.test(id)));
  return new Map(
    all.map((id, index) => {
      if (used.has(id)) return [id, id];
      const base =
        id
          .replace(/[^A-Za-z0-9_.]+/g, '-')
          .replace(/^-+|-+$/g, '')
          .slice(0, 100) || 'node';
      let safe = `${questionIdPattern.test(base) ? 'node-' : ''}${base}-${index}`;
      while (used.has(safe)) safe += '-';
      used.add(safe);
      return [id, safe];
    }),
  );
}
