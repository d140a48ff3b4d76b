// What can run, as data: a tree of regions whose leaves are nodes. Built once, read by the engine, the checks and the reports.
import type { RecipeNode, Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';

export type Plan = { main: Region; teardown?: Region; limits: Limits };

export type Region = Walk | All | Each | Dag;

/** A Recipe v1 graph: one cursor that follows `next`, or the case a node reports, until an end. */
export type Walk = { kind: 'walk'; entry: string; nodes: Nodes };

/** Children side by side (at most `limit` in flight), or in turn, each fed by the one before when `pipe` is set. */
export type All = { kind: 'all'; nodes: Nodes; inTurn: boolean; pipe: boolean; limit: number };

/** One run of the child per item, at most `limit` in flight. The items are counted when the region is entered. */
export type Each = { kind: 'each'; child: PlanNode; limit: number };

/** A node runs when all its forward parents are settled and at least one edge to it fired, else it is skipped. */
export type Dag = {
  kind: 'dag';
  nodes: Nodes;
  into: ReadonlyMap<string, readonly Edge[]>;
  out: ReadonlyMap<string, readonly Edge[]>;
  /** A node also waits for all of the layer before its own, whether or not they lead to it. Only for graphs without loops. */
  layers?: { of: ReadonlyMap<string, number>; ids: readonly (readonly string[])[] };
};

/** `conditional` edges fire when the runner says so, the others whenever their source passes. A `back` edge closes a loop. */
export type Edge = { from: string; to: string; conditional: boolean; back: boolean };

export type Nodes = ReadonlyMap<string, PlanNode>;

export type PlanNode = {
  id: string;
  /** Where a walk goes afterwards. */
  next: Next;
  /** The regions a node opens are its body: it begins, the body runs, then it ends. */
  body?: Region;
  onFail: 'stop' | 'continue' | 'abort';
  attempts: number;
  /** Runs between a failed attempt and the next one. */
  recover?: PlanNode;
  /** What is to be performed; the engine never looks inside. */
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

/** Every node that can run, those of bodies and recoveries included, with the node around it. */
export function* reachableNodes(region: Region, around?: PlanNode): Generator<{ node: PlanNode; around?: PlanNode }> {
  for (const node of region.kind === 'walk'
    ? walkedNodes(region)
    : region.kind === 'each'
      ? [region.child]
      : region.nodes.values()) {
    yield* nodeWithInner(node, around);
  }
}

function* nodeWithInner(node: PlanNode, around?: PlanNode): Generator<{ node: PlanNode; around?: PlanNode }> {
  yield around ? { node, around } : { node };
  if (node.body) yield* reachableNodes(node.body, node);
  if (node.recover) yield* nodeWithInner(node.recover, around);
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
