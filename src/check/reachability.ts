// Where nodes go on, for everyone who walks a graph without running it.
import type { RecipeNode } from '../recipe/recipe.js';

export type NodesById = ReadonlyMap<string, RecipeNode>;

/** The ids a node can go on with. */
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

/** Whether it goes to a node that is not there. */
export function hasMissingTarget(node: RecipeNode, nodes: NodesById): boolean {
  for (const id of targetIds(node)) if (!nodes.has(id)) return true;
  return false;
}

/** The same, with the field that says so. */
export function targetsOf(node: RecipeNode): [field: (string | number)[], target: string][] {
  const targets: [(string | number)[], string][] = (node.cases ?? []).map(({ next }, index) => [['cases', index, 'next'], next]);
  for (const [name, target] of node.routes ?? []) targets.push([['rw', 'cases', name], target]);
  if (node.next !== undefined) targets.push([['next'], node.next]);
  if (node.fallback !== undefined) targets.push([['default'], node.fallback]);
  return targets;
}

/** Every id that can be reached from one, itself among them. */
export function reachableFrom(entry: string, nodes: NodesById, memo: ReachabilityCache): ReadonlySet<string> {
  const before = memo.reached.get(nodes);
  if (before) return before;
  const reached = new Set<string>();
  const visit = (id: string): void => {
    // The node's own spelling of its id is the one that is asked for later: the same string is found at once.
    reached.add(nodes.get(id)?.id ?? id);
  };
  visit(entry);
  for (const id of reached) {
    const node = nodes.get(id);
    if (node) for (const target of targetIds(node)) visit(target);
  }
  memo.reached.set(nodes, reached);
  return reached;
}

/** What several rules ask of the same recipe: the nodes that a graph's entry leads to, and those that a node leads to. */
export type ReachabilityCache = { reached: Map<NodesById, ReadonlySet<string>>; after: Map<RecipeNode, ReadonlySet<string>> };

export function createReachabilityCache(): ReachabilityCache {
  return { reached: new Map(), after: new Map() };
}

export type NodePair = { from: string; to: RecipeNode; nodes: NodesById };

/** Whether there is a way from one node to another. What is read has mostly run just before, so a short look comes first. */
export function comesBefore({ from, to: node, nodes }: NodePair, memo: ReachabilityCache): boolean {
  const first = nodes.get(from);
  if (!first) return false;
  const next = targetIds(first);
  if (next.includes(node.id)) return true;
  const found = new Set(next);
  for (const id of found) {
    if (id === node.id) return true;
    if (found.size > shortSearchSize) return reachedAfter(first, nodes, memo).has(node.id);
    const at = nodes.get(id);
    if (at) for (const target of targetIds(at)) found.add(target);
  }
  return false;
}

const shortSearchSize = 32;

function reachedAfter(first: RecipeNode, nodes: NodesById, { after }: ReachabilityCache): ReadonlySet<string> {
  const before = after.get(first);
  if (before) return before;
  const found = new Set(targetIds(first));
  for (const id of found) for (const target of targetIds(nodes.get(id) ?? first)) found.add(target);
  after.set(first, found);
  return found;
}
