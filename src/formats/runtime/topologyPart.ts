// Parts of a topology that run as one graph: the whole topology, or the nodes that a map runs for each item.
import type { Link } from '../../actions/flow/layers.js';
import { isConditional, type MapNode, type Topology, type TopologyEdge, type TopologyNode } from './manifest.js';

/** Nodes by id, and edges by their index in the document. */
export type TopologyPart = {
  nodes: ReadonlyMap<string, { node: TopologyNode; index: number }>;
  edges: ReadonlyMap<number, TopologyEdge>;
};

/**
 * Returns the whole topology as one part. Of several nodes with the same id, the last one counts, as in the reference
 * implementation.
 */
export function wholeTopology({ nodes, edges }: Topology): TopologyPart {
  return { nodes: new Map(nodes.map((node, index) => [node.id, { node, index }])), edges: new Map(edges.entries()) };
}

export function edgeTargets(edge: TopologyEdge): string[] {
  return isConditional(edge) ? [...new Set(Object.values(edge.mapping))] : [edge.target_node_id];
}

export function partLinks({ edges }: TopologyPart): Link[] {
  return [...edges.values()].flatMap((edge) => edgeTargets(edge).map((to) => ({ from: edge.source_node_id, to })));
}

/** Groups the edges by their source node, with their indexes. */
export function groupEdgesBySource({ edges }: TopologyPart): ReadonlyMap<string, readonly [number, TopologyEdge][]> {
  const edgesBySource = new Map<string, [number, TopologyEdge][]>();
  for (const [index, edge] of edges) {
    const sourceEdges = edgesBySource.get(edge.source_node_id) ?? [];
    sourceEdges.push([index, edge]);
    edgesBySource.set(edge.source_node_id, sourceEdges);
  }
  return edgesBySource;
}

/** An edge that leaves the nodes that a map runs for its items. `isSplit`: some of its targets are among these nodes. */
type LeavingEdge = { index: number; edge: TopologyEdge; map: string; isSplit: boolean };

/** Finds the edges that leave the nodes of a map. The targets of these edges run once, after the map. */
export function findLeavingEdges(part: TopologyPart): LeavingEdge[] {
  const owners = findMapOwners(part);
  return [...part.edges].flatMap(([index, edge]): LeavingEdge[] => {
    const map = owners.get(edge.source_node_id);
    const outside = edgeTargets(edge).filter((to) => map !== undefined && owners.get(to) !== map);
    if (map === undefined || outside.length === 0) return [];
    return [{ index, edge, map, isSplit: outside.length < edgeTargets(edge).length }];
  });
}

/** Returns, for each node that only a map runs, the id of this map. */
function findMapOwners(part: TopologyPart): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { node } of part.nodes.values()) {
    const { ids, isOwn } = node.type === 'map' ? findBranch(node, part) : emptyBranch;
    if (isOwn) for (const id of ids) owners.set(id, node.id);
  }
  return owners;
}

/** Removes the nodes that run only for items of a map. Edges that leave them start at the map instead. */
export function withoutProcessors(part: TopologyPart): TopologyPart {
  const owners = findMapOwners(part);
  if (owners.size === 0) return part;
  const edges = [...part.edges].map(([index, edge]): [number, TopologyEdge] => {
    const owner = owners.get(edge.source_node_id);
    const startsAtMap = owner !== undefined && edgeTargets(edge).every((to) => to !== owner && !owners.has(to));
    return [index, startsAtMap ? { ...edge, source_node_id: owner } : edge];
  });
  const remaining = [...part.nodes.keys()].filter((id) => !owners.has(id));
  return keepNodes({ ...part, edges: new Map(edges) }, remaining);
}

/** Returns the part of the topology that a map runs for each item. */
export function mapProcessor(map: MapNode, part: TopologyPart): TopologyPart {
  return keepNodes(part, findBranch(map, part).ids);
}

type Branch = { ids: ReadonlySet<string>; isOwn: boolean };

const emptyBranch: Branch = { ids: new Set(), isOwn: false };

/** Finds the processor of a map, and the nodes that can be reached only through it. `isOwn`: only the map runs the processor. */
function findBranch(map: MapNode, part: TopologyPart): Branch {
  const processor = map.processor_node_id;
  if (!part.nodes.has(processor) || processor === map.id) return emptyBranch;
  const edgesBySource = groupEdgesBySource(part);
  const reachable = collectReachable([processor], edgesBySource);
  // If a path leads back to the map, that path runs after the map and not for each item.
  const candidates = reachable.has(map.id) ? new Set([processor]) : reachable;
  const entries = partLinks(part).filter(
    (link) => candidates.has(link.to) && !candidates.has(link.from) && !(link.from === map.id && link.to === processor),
  );
  const shared = collectReachable(
    entries.map(({ to }) => to),
    edgesBySource,
  );
  return {
    ids: new Set([processor, ...[...candidates].filter((id) => !shared.has(id))]),
    isOwn: !shared.has(processor),
  };
}

function collectReachable(starts: readonly string[], edgesBySource: ReturnType<typeof groupEdgesBySource>): Set<string> {
  const reached = new Set(starts);
  for (const id of reached)
    for (const [, edge] of edgesBySource.get(id) ?? []) for (const to of edgeTargets(edge)) reached.add(to);
  return reached;
}

function keepNodes({ nodes, edges }: TopologyPart, ids: Iterable<string>): TopologyPart {
  const remainingIds = new Set(ids);
  const isInside = (edge: TopologyEdge): boolean =>
    remainingIds.has(edge.source_node_id) && edgeTargets(edge).some((to) => remainingIds.has(to));
  return {
    nodes: new Map([...nodes].filter(([id]) => remainingIds.has(id))),
    edges: new Map([...edges].filter(([, edge]) => isInside(edge))),
  };
}

const safeIdPattern = /^[A-Za-z0-9_.-]{1,128}$/;
const reservedIds = new Set(['inputs', 'params', 'saved', 'item', 'output', 'recover', '__proto__', 'constructor', 'prototype']);

/** Matches the ids that `questionId` makes, which nodes of the author must not have. */
const questionIdPattern = /^(?:approval|voter-\d+)\./;

/** Maps authored ids to ids that are safe in paths and reports. */
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
