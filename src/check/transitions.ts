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
  const before = known.get(nodes);
  if (before?.entry === entry) return before.reached;
  const reached = new Set([entry]);
  for (const id of reached) {
    const node = nodes.get(id);
    if (node) for (const target of idsAfter(node)) reached.add(target);
  }
  known.set(nodes, { entry, reached });
  return reached;
}

/** Several rules ask for the same graph. */
const known = new WeakMap<Nodes, { entry: string; reached: ReadonlySet<string> }>();

/** Whether there is a way from `name` to the node. What is read has mostly run just before, so a short look comes first. */
export function comesBefore(name: string, node: RecipeNode, nodes: Nodes): boolean {
  const first = nodes.get(name);
  if (!first) return false;
  const next = idsAfter(first);
  if (next.includes(node.id)) return true;
  const found = new Set(next);
  for (const id of found) {
    if (id === node.id) return true;
    if (found.size > near) return reachOf(first, nodes).has(node.id);
    const at = nodes.get(id);
    if (at) for (const target of idsAfter(at)) found.add(target);
  }
  return false;
}

const near = 32;
const reaches = new WeakMap<RecipeNode, ReadonlySet<string>>();

function reachOf(first: RecipeNode, nodes: Nodes): ReadonlySet<string> {
  const before = reaches.get(first);
  if (before) return before;
  const found = new Set(idsAfter(first));
  for (const id of found) for (const target of idsAfter(nodes.get(id) ?? first)) found.add(target);
  reaches.set(first, found);
  return found;
}
