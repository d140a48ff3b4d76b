// Finds out which nodes of a graph can follow which others, without running the graph.

import type { RecipeNode } from '../recipe/recipe.js';

export type NodesById = ReadonlyMap<string, RecipeNode>;

/** The ids of the nodes that can follow a node. */
export function targetIds(node: RecipeNode): readonly string[] {
  if (node.cases === undefined && node.routes === undefined && node.fallback === undefined) {
    return node.next === undefined ? none : [node.next];
  }
  const ids: string[] = [];
  if (node.cases) for (const { next } of node.cases) ids.push(next);
  if (node.routes) ids.push(...node.routes.values());
  if (node.next !== undefined) ids.push(node.next);
  if (node.fallback !== undefined) ids.push(node.fallback);
  return ids;
}

const none: readonly string[] = [];

/** Whether the node leads to a node that does not exist. */
export function hasMissingTarget(node: RecipeNode, nodes: NodesById): boolean {
  for (const id of targetIds(node)) if (!nodes.has(id)) return true;
  return false;
}

/** Like `targetIds`, but also returns the path of the field that names each target. */
export function targetsOf(node: RecipeNode): [field: (string | number)[], target: string][] {
  const targets: [(string | number)[], string][] = (node.cases ?? []).map(({ next }, index) => [['cases', index, 'next'], next]);
  for (const [name, target] of node.routes ?? []) targets.push([['rw', 'cases', name], target]);
  if (node.next !== undefined) targets.push([['next'], node.next]);
  if (node.fallback !== undefined) targets.push([['default'], node.fallback]);
  return targets;
}

/** Every id that can be reached from `entry`, including `entry`. */
export function reachableFrom(entry: string, nodes: NodesById, cache: ReachabilityCache): ReadonlySet<string> {
  const cached = cache.reached.get(nodes);
  if (cached) return cached;
  const reached = new Set<string>();
  const visit = (id: string): void => {
    // Callers look up `node.id`. A set finds the identical string object fastest.
    reached.add(nodes.get(id)?.id ?? id);
  };
  visit(entry);
  for (const id of reached) {
    const node = nodes.get(id);
    if (node) for (const target of targetIds(node)) visit(target);
  }
  cache.reached.set(nodes, reached);
  return reached;
}

/** Searches that several rules share: the nodes reachable from the entry of a graph, and those reachable after a node. */
export type ReachabilityCache = { reached: Map<NodesById, ReadonlySet<string>>; after: Map<RecipeNode, ReadonlySet<string>> };

export function createReachabilityCache(): ReachabilityCache {
  return { reached: new Map(), after: new Map() };
}

export type NodePair = { from: string; to: RecipeNode; nodes: NodesById };

/** Whether a path leads from one node to another. Most nodes read a node shortly before them, so a short search comes first. */
export function comesBefore({ from, to, nodes }: NodePair, cache: ReachabilityCache): boolean {
  const first = nodes.get(from);
  if (!first) return false;
  const next = targetIds(first);
  if (next.includes(to.id)) return true;
  const found = new Set(next);
  for (const id of found) {
    if (id === to.id) return true;
    if (found.size > shortSearchSize) return reachableAfter(first, nodes, cache).has(to.id);
    const node = nodes.get(id);
    if (node) for (const target of targetIds(node)) found.add(target);
  }
  return false;
}

const shortSearchSize = 32;

function reachableAfter(first: RecipeNode, nodes: NodesById, { after }: ReachabilityCache): ReadonlySet<string> {
  const cached = after.get(first);
  if (cached) return cached;
  const found = new Set(targetIds(first));
  for (const id of found) for (const target of targetIds(nodes.get(id) ?? first)) found.add(target);
  after.set(first, found);
  return found;
}
