// The plan of a recipe: a tree of regions and nodes. The engine, the checks and the reports read the plan.

import type { RecipeNode, Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';

export type Plan = { main: Region; teardown?: Region; limits: Limits };

export type Region = Walk | All | Each | Dag;

/** A Recipe v1 graph: one cursor follows `next`, or the case that a node reports, until it reaches an end. */
export type Walk = { kind: 'walk'; entry: string; nodes: Nodes };

/** Children that run side by side, at most `limit` at once, or `inTurn`. With `pipe`, each child gets the output of the child before. */
export type All = { kind: 'all'; nodes: Nodes; inTurn: boolean; pipe: boolean; limit: number };

/** Runs the child once for each item, at most `limit` at once. The scheduler counts the items when the region begins. */
export type Each = { kind: 'each'; child: PlanNode; limit: number };

/** A node waits until all sources of its forward edges have settled. It runs if at least one of these edges fired; otherwise it is skipped. */
export type Dag = {
  kind: 'dag';
  nodes: Nodes;
  into: ReadonlyMap<string, readonly Edge[]>;
  out: ReadonlyMap<string, readonly Edge[]>;
  /** With layers, a node also waits for all nodes of the layer before its own. A graph with layers has no loops. */
  layers?: { of: ReadonlyMap<string, number>; ids: readonly (readonly string[])[] };
};

/** A `conditional` edge fires when its condition holds, any other edge when its source passes. A `back` edge closes a loop. */
export type Edge = { from: string; to: string; conditional: boolean; back: boolean };

export type Nodes = ReadonlyMap<string, PlanNode>;

export type PlanNode = {
  id: string;
  /** Where a walk continues after this node. */
  next: Next;
  /** The region inside this node: the node begins, its body runs, and then the node ends. */
  body?: Region;
  onFail: 'stop' | 'continue' | 'abort';
  attempts: number;
  /** The node that runs between a failed attempt and the next attempt. */
  recover?: PlanNode;
  /** The node of the recipe, which the engine never reads. */
  recipe: RecipeNode;
};

export type Next =
  | { kind: 'to'; id: string }
  | { kind: 'cases'; cases: ReadonlyMap<string, string> }
  | { kind: 'end'; status: Status }
  | { kind: 'none' };

const severity: Record<Status, number> = { pass: 0, unknown: 1, fail: 2 };

/** Returns the worse of two statuses: fail is worse than unknown, and unknown is worse than pass. */
export function worseStatus(a: Status, b: Status): Status {
  return severity[a] >= severity[b] ? a : b;
}

/** Yields every node that can run, including the nodes of bodies and recoveries. `parent`: the node in whose body the node is. */
export function* reachableNodes(region: Region, parent?: PlanNode): Generator<{ node: PlanNode; parent?: PlanNode }> {
  for (const node of nodesOf(region)) yield* nodeWithInner(node, parent);
}

function nodesOf(region: Region): Iterable<PlanNode> {
  if (region.kind === 'walk') return walkedNodes(region);
  return region.kind === 'each' ? [region.child] : region.nodes.values();
}

function* nodeWithInner(node: PlanNode, parent?: PlanNode): Generator<{ node: PlanNode; parent?: PlanNode }> {
  yield parent ? { node, parent } : { node };
  if (node.body) yield* reachableNodes(node.body, node);
  if (node.recover) yield* nodeWithInner(node.recover, parent);
}

function walkedNodes({ entry, nodes }: Walk): PlanNode[] {
  const ids = new Set([entry]);
  const found: PlanNode[] = [];
  for (const id of ids) {
    const node = nodes.get(id);
    if (!node) continue;
    found.push(node);
    addTargets(node.next, ids);
  }
  return found;
}

function addTargets(next: Next, ids: Set<string>): void {
  if (next.kind === 'to') ids.add(next.id);
  else if (next.kind === 'cases') for (const target of next.cases.values()) ids.add(target);
}
