// Where nodes go on, for everyone who walks a graph without running it.
import type { RecipeNode } from '../dialects/recipe.js';

export type Nodes = ReadonlyMap<string, RecipeNode>;

/** The ids a node can go on with. */
export function idsAfter(node: RecipeNode): readonly string[] {
  if (node.cases === undefined && node.routes === undefined && node.fallback === undefined) {
    return node.next === undefined ? none : [node.next];
  }
  return targetsOf(node).map(([, target]) => target);
}

const none: readonly string[] = [];

/** The same, with the field that says so. */
export function targetsOf(node: RecipeNode): [field: (string | number)[], target: string][] {
  const targets: [(string | number)[], string][] = (node.cases ?? []).map(({ next }, index) => [['cases', index, 'next'], next]);
  for (const [name, target] of node.routes ?? []) targets.push([['rw', 'cases', name], target]);
  if (node.next !== undefined) targets.push([['next'], node.next]);
  if (node.fallback !== undefined) targets.push([['default'], node.fallback]);
  return targets;
}

/** Every id that can be reached from one, itself among them. */
export function reachableFrom(entry: string, nodes: Nodes): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const id of reached) {
    const node = nodes.get(id);
    if (node) for (const target of idsAfter(node)) reached.add(target);
  }
  return reached;
}

/** Whether there is a way from `name` to the node. It searches backwards, since what is read has mostly run just before. */
export function comesBefore(name: string, node: RecipeNode, nodes: Nodes): boolean {
  if (!nodes.has(name)) return false;
  const ways = waysInto(nodes);
  const found = new Set(ways.get(node.id));
  for (const id of found) {
    if (id === name) return true;
    for (const from of ways.get(id) ?? none) found.add(from);
  }
  return false;
}

const known = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

function waysInto(nodes: Nodes): ReadonlyMap<string, readonly string[]> {
  const before = known.get(nodes);
  if (before) return before;
  const ways = new Map<string, string[]>();
  for (const node of nodes.values()) {
    for (const target of idsAfter(node)) {
      const into = ways.get(target);
      if (into) into.push(node.id);
      else ways.set(target, [node.id]);
    }
  }
  known.set(nodes, ways);
  return ways;
}
