// The plan of a recipe as data: a tree of regions whose leaves are nodes. The engine, the checks and the reports read it.

import type { RecipeNode, Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';

export type Plan = { main: Region; teardown?: Region; limits: Limits };

export type Region = Walk | All | Each | Dag;

/** A Recipe v1 graph: one cursor that follows `next`, or the case a node reports, until an end. */
export type Walk = { kind: 'walk'; entry: string; nodes: Nodes };

/** Children side by side (at most `limit` at once), or one after the other; with `pipe`, each gets the output of the one before. */
export type All = { kind: 'all'; nodes: Nodes; inTurn: boolean; pipe: boolean; limit: number };

/** One run of the child per item, at most `limit` at once. The runner counts the items when the region is entered. */
export type Each = { kind: 'each'; child: PlanNode; limit: number };

/** A node runs when all its forward parents have settled and at least one edge to it fired, else it is skipped. */
export type Dag = {
  kind: 'dag';
  nodes: Nodes;
  into: ReadonlyMap<string, readonly Edge[]>;
  out: ReadonlyMap<string, readonly Edge[]>;
  /** With layers, a node also waits for the whole layer before its own, whether or not edges lead from there. Never with loops. */
  layers?: { of: ReadonlyMap<string, number>; ids: readonly (readonly string[])[] };
};

/** A `conditional` edge fires when its condition holds, any other whenever its source passes. A `back` edge closes a loop. */
export type Edge = { from: string; to: string; conditional: boolean; back: boolean };

export type Nodes = ReadonlyMap<string, PlanNode>;

export type PlanNode = {
  id: string;
  /** Where a walk continues after this node. */
  next: Next;
  /** The region that this node opens: the node begins, its body runs, then the node ends. */
  body?: Region;
  onFail: 'stop' | 'continue' | 'abort';
  attempts: number;
  /** Runs between a failed attempt and the next. */
  recover?: PlanNode;
  /** The node to perform. The engine never reads it. */
  recipe: RecipeNode;
};

export type Next =
  | { kind: 'to'; id: string }
  | { kind: 'cases'; cases: ReadonlyMap<string, string> }
  | { kind: 'end'; status: Status }
  | { kind: 'none' };

const severity: Record<Status, number> = { pass: 0, unknown: 1, fail: 2 };

/** fail > unknown > pass */
export function worseStatus(a: Status, b: Status): Status {
  return severity[a] >= severity[b] ? a : b;
}

/** Every node that can run, including those of bodies and recoveries, each with the node whose body it belongs to. */
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
