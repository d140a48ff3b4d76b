// Where nodes go on, for everyone who walks a graph without running it.
import type { RecipeNode } from '../recipe/recipe.js';

export type Nodes = ReadonlyMap<string, RecipeNode>;

/** The ids a node can go on with. */
export function idsAfter(node: RecipeNode): readonly string[] {
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
export function leadsAstray(node: RecipeNode, nodes: Nodes): boolean {
  for (const id of idsAfter(node)) if (!nodes.has(id)) return true;
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
export function reachableFrom(entry: string, nodes: Nodes, memo: Memo): ReadonlySet<string> {
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
    if (node) for (const target of idsAfter(node)) visit(target);
  }
  memo.reached.set(nodes, reached);
  return reached;
}

/** What several rules ask of the same recipe: the nodes that a graph's entry leads to, and those that a node leads to. */
export type Memo = { reached: Map<Nodes, ReadonlySet<string>>; after: Map<RecipeNode, ReadonlySet<string>> };

export function newMemo(): Memo {
  return { reached: new Map(), after: new Map() };
}

export type Way = { from: string; to: RecipeNode; nodes: Nodes };

/** Whether there is a way from one node to another. What is read has mostly run just before, so a short look comes first. */
export function comesBefore({ from, to: node, nodes }: Way, memo: Memo): boolean {
  const first = nodes.get(from);
  if (!first) return false;
  const next = idsAfter(first);
  if (next.includes(node.id)) return true;
  const found = new Set(next);
  for (const id of found) {
    if (id === node.id) return true;
    if (found.size > near) return reachOf(first, nodes, memo).has(node.id);
    const at = nodes.get(id);
    if (at) for (const target of idsAfter(at)) found.add(target);
  }
  return false;
}

const near = 32;

function reachOf(first: RecipeNode, nodes: Nodes, { after }: Memo): ReadonlySet<string> {
  const before = after.get(first);
  if (before) return before;
  const found = new Set(idsAfter(first));
  for (const id of found) for (const target of idsAfter(nodes.get(id) ?? first)) found.add(target);
  after.set(first, found);
  return found;
}
