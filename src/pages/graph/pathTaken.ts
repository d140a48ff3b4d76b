// The path that a run took through a plan, as totals for each node. Its size depends on the recipe, not on the length of the run.
import type { Plan, PlanNode, Region } from '../../engine/plan.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import type { Board, BoardEdge, BoardNode } from './board.js';

export type Visits = {
  /** The number of other nodes that the run visited before the first visit. */
  order: number;
  count: number;
  failed: number;
  tolerated: number;
  skipped: number;
  unfinished: number;
  running: number;
  ms: number;
  /** How often the run continued at each node (`next`) and with each case (`cases`). */
  next: Map<string, number>;
  cases: Map<string, number>;
  /** The run path of the first visit. */
  first: string;
  /** The run path of the first failed visit. */
  firstFailed?: string;
};

export class PathTaken {
  private readonly visits = new Map<PlanNode, Visits>();

  constructor(private readonly plan: Plan) {}

  add(entry: TraceEntryJson): void {
    const nodeId = entry.nodeId ?? entry.id ?? '';
    const node = this.find(nodeId);
    if (!node) return;
    const visits = this.visits.get(node) ?? emptyVisits(this.visits.size, nodeId);
    this.visits.set(node, visits);
    countVisit(visits, entry, nodeId);
  }

  /** False when no entry belongs to a node of this plan. */
  get hasVisits(): boolean {
    return this.visits.size > 0;
  }

  visitsOf(node: PlanNode | undefined): Visits | undefined {
    return node && this.visits.get(node);
  }

  private find(path: string): PlanNode | undefined {
    const steps = path.split('/');
    return nodeAtPath(this.plan.main, steps) ?? (this.plan.teardown && nodeAtPath(this.plan.teardown, steps));
  }
}

function emptyVisits(order: number, first: string): Visits {
  return {
    order,
    count: 0,
    failed: 0,
    tolerated: 0,
    skipped: 0,
    unfinished: 0,
    running: 0,
    ms: 0,
    next: new Map(),
    cases: new Map(),
    first,
  };
}

function countVisit(visits: Visits, entry: TraceEntryJson, path: string): void {
  const { ok, tolerated, unfinished, output, next, fired = [], durationMs = 0 } = entry;
  const { skipped, case: caseName } = (typeof output === 'object' && output !== null ? output : {}) as Record<string, unknown>;
  visits.count++;
  visits.ms += durationMs;
  if (!ok) {
    visits.failed++;
    visits.firstFailed ??= path;
  }
  if (tolerated) visits.tolerated++;
  if (unfinished) visits.unfinished++;
  if (isRunning(entry)) visits.running++;
  if (skipped === true) visits.skipped++;
  if (typeof next === 'string') increment(visits.next, next);
  if (typeof caseName === 'string' || typeof caseName === 'number') increment(visits.cases, String(caseName));
  for (const edge of fired) increment(visits.cases, edgeName(edge));
}

/** Returns whether the node of an entry is still running. Only entries of a live run can be running. */
export function isRunning({ running }: TraceEntryJson & { running?: unknown }): boolean {
  return running === true;
}

/** Returns the name of an edge: its position among the edges that leave the node. */
export function edgeName(index: number): string {
  return `edge ${index}`;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

// An id can contain a slash or look like a visit ("a#2"), so only the plan can tell where the steps of a path end.
function nodeAtPath(region: Region, steps: readonly string[]): PlanNode | undefined {
  for (let length = 1; length <= steps.length; length++) {
    const name = steps.slice(0, length).join('/');
    const node = nodeById(region, name) ?? nodeById(region, name.replace(/(\[\d+\])?(#\d+)?(@\d+)?$/, ''));
    const found = node && nodeInside(node, steps.slice(length));
    if (found) return found;
  }
  return undefined;
}

function nodeById(region: Region, id: string): PlanNode | undefined {
  if (region.kind !== 'each') return region.nodes.get(id);
  return region.child.id === id ? region.child : undefined;
}

function nodeInside(node: PlanNode, rest: readonly string[]): PlanNode | undefined {
  if (rest.length === 0) return node;
  if (node.recover && rest[0] === 'recover') return nodeInside(node.recover, rest.slice(1));
  return node.body && nodeAtPath(node.body, rest);
}

type VisitsOf = (node: BoardNode) => Visits | undefined;

export function isEdgeTaken({ nodes }: Board, { from, to }: BoardEdge, visitsOf: VisitsOf): boolean {
  const [source, target] = [nodes.get(from), nodes.get(to)];
  if (!source || !target) return false;
  const visits = visitsOf(source);
  const choice = source.choice ?? target.choice;
  if (!visits || visits.count === visits.skipped) return false;
  // Only the nodes of a walk record the next node. In other regions an edge counts as taken when its target ran.
  if (!choice) return visits.next.size === 0 ? visitsOf(target) !== undefined : visits.next.has(target.id);
  return visits.cases.size > 0 && choice.name !== '' ? visits.cases.has(choice.name) : visits.next.has(choice.to);
}
