// A part of a topology that runs as one graph: all of it, or what a map runs for each item.
import type { Link } from '../../actions/flow/layers.js';
import { isConditional, type MapNode, type Topology, type TopologyEdge, type TopologyNode } from './manifest.js';

/** Nodes by id and edges by their place in the document. */
export type Part = {
  nodes: ReadonlyMap<string, { node: TopologyNode; index: number }>;
  edges: ReadonlyMap<number, TopologyEdge>;
};

/** Of nodes with the same id the last one counts, as in the reference. */
export function wholeOf({ nodes, edges }: Topology): Part {
  return { nodes: new Map(nodes.map((node, index) => [node.id, { node, index }])), edges: new Map(edges.entries()) };
}

export function targetsOf(edge: TopologyEdge): string[] {
  return isConditional(edge) ? [...new Set(Object.values(edge.mapping))] : [edge.target_node_id];
}

export function linksOf({ edges }: Part): Link[] {
  return [...edges.values()].flatMap((edge) => targetsOf(edge).map((to) => ({ from: edge.source_node_id, to })));
}

/** The edges that leave each node, with their places. */
export function edgesFrom({ edges }: Part): ReadonlyMap<string, readonly [number, TopologyEdge][]> {
  const from = new Map<string, [number, TopologyEdge][]>();
  for (const [index, edge] of edges) {
    const others = from.get(edge.source_node_id) ?? [];
    others.push([index, edge]);
    from.set(edge.source_node_id, others);
  }
  return from;
}

/** An edge that leaves what a map runs for its items. `isSplit`: some of its targets are inside. */
export type Leaving = { index: number; edge: TopologyEdge; map: string; isSplit: boolean };

/** Those of the maps of this part; where they lead runs once, after the map. */
export function leavingEdges(part: Part): Leaving[] {
  const owners = ownersIn(part);
  return [...part.edges].flatMap(([index, edge]): Leaving[] => {
    const map = owners.get(edge.source_node_id);
    const outside = targetsOf(edge).filter((to) => map !== undefined && owners.get(to) !== map);
    if (map === undefined || outside.length === 0) return [];
    return [{ index, edge, map, isSplit: outside.length < targetsOf(edge).length }];
  });
}

/** Which map a node runs for, when it runs for nothing else. */
function ownersIn(part: Part): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { node } of part.nodes.values()) {
    const { ids, isOwn } = node.type === 'map' ? branchOf(node, part) : nothing;
    if (isOwn) for (const id of ids) owners.set(id, node.id);
  }
  return owners;
}

/** Without what runs only for items of a map. An edge that leaves it goes on after the map. */
export function withoutProcessors(part: Part): Part {
  const owners = ownersIn(part);
  if (owners.size === 0) return part;
  const edges = [...part.edges].map(([index, edge]): [number, TopologyEdge] => {
    const owner = owners.get(edge.source_node_id);
    const goesOn = owner !== undefined && targetsOf(edge).every((to) => to !== owner && !owners.has(to));
    return [index, goesOn ? { ...edge, source_node_id: owner } : edge];
  });
  const kept = [...part.nodes.keys()].filter((id) => !owners.has(id));
  return only({ ...part, edges: new Map(edges) }, kept);
}

/** What a map runs for each item. */
export function processorOf(map: MapNode, part: Part): Part {
  return only(part, branchOf(map, part).ids);
}

type Branch = { ids: ReadonlySet<string>; isOwn: boolean };

const nothing: Branch = { ids: new Set(), isOwn: false };

/** The node that a map names and what follows from nowhere else. `isOwn`: only the map runs it. */
function branchOf(map: MapNode, part: Part): Branch {
  const first = map.processor_node_id;
  if (!part.nodes.has(first) || first === map.id) return nothing;
  const from = edgesFrom(part);
  const all = reachedFrom([first], from);
  // A way back to the map itself goes on after it, not for each item.
  const reached = all.has(map.id) ? new Set([first]) : all;
  const entries = linksOf(part).filter(
    (link) => reached.has(link.to) && !reached.has(link.from) && !(link.from === map.id && link.to === first),
  );
  const shared = reachedFrom(
    entries.map(({ to }) => to),
    from,
  );
  return { ids: new Set([first, ...[...reached].filter((id) => !shared.has(id))]), isOwn: !shared.has(first) };
}

function reachedFrom(starts: readonly string[], from: ReturnType<typeof edgesFrom>): Set<string> {
  const reached = new Set(starts);
  for (const id of reached) for (const [, edge] of from.get(id) ?? []) for (const to of targetsOf(edge)) reached.add(to);
  return reached;
}

function only({ nodes, edges }: Part, ids: Iterable<string>): Part {
  const kept = new Set(ids);
  const joins = (edge: TopologyEdge): boolean => kept.has(edge.source_node_id) && targetsOf(edge).some((to) => kept.has(to));
  return {
    nodes: new Map([...nodes].filter(([id]) => kept.has(id))),
    edges: new Map([...edges].filter(([, edge]) => joins(edge))),
  };
}

const plain = /^[A-Za-z0-9_.-]{1,128}$/;
const taken = new Set(['inputs', 'params', 'saved', 'item', 'output', 'recover', '__proto__', 'constructor', 'prototype']);

/** How questions that are not the author's are called. */
const ofQuestions = /^(?:approval|voter-\d+)\./;

/** Ids that are safe in paths and reports, by the ids as authored. */
export function safeIds(ids: Iterable<string>): Map<string, string> {
  const all = [...ids];
  const used = new Set(all.filter((id) => plain.test(id) && !taken.has(id) && !ofQuestions.test(id)));
  return new Map(
    all.map((id, index) => {
      if (used.has(id)) return [id, id];
      const base =
        id
          .replace(/[^A-Za-z0-9_.]+/g, '-')
          .replace(/^-+|-+$/g, '')
          .slice(0, 100) || 'node';
      let safe = `${ofQuestions.test(base) ? 'node-' : ''}${base}-${index}`;
      while (used.has(safe)) safe += '-';
      used.add(safe);
      return [id, safe];
    }),
  );
}
