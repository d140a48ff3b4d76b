// The state of a run: open regions (frames) and the nodes running in them (cursors). Only `next()` changes it.

import type { Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';
import type { PlanNode, Region } from './plan.js';
import { joinPath } from './runPath.js';

export type RunState = {
  limits: Limits;
  root: Frame;
  cursors: Map<string, Cursor>;
  steps: number;
  isOver?: true;
  /** Set by an abort or an exceeded limit. No node starts from then on. */
  ending?: { status: Status; reason?: Reason };
};

export type Reason = { code: string; message: string };

export type Frame = {
  region: Region;
  owner?: Cursor;
  status: Status;
  /** After a failure no further node of the region starts. Running nodes continue. */
  stopped: boolean;
  runningCount: number;
  visits: Map<string, number>;
  trail: string[];
  /** What the behavior of the region's kind keeps between events. */
  memo: unknown;
};

/** One execution of a node. */
export type NodeRun = {
  path: string;
  node: PlanNode;
  visit: number;
  /** How many attempts this visit had before. */
  attempt: number;
  item?: number;
  /** The run whose body this one belongs to. */
  parent?: string;
  /** The run whose output is piped into this one. */
  input?: string;
};

export type Cursor = NodeRun & {
  frame: Frame;
  /** True while its body runs. The node ends after its body. */
  open?: boolean;
  /** For a recovery: the failed attempt before it, and how that ended. */
  recovers?: { failed: Cursor; settled: SettledEvent };
};

export type Task =
  | { do: 'run'; run: NodeRun }
  | { do: 'finish'; run: NodeRun; body: Status }
  | { do: 'skip'; run: NodeRun; reason: string };

/** A running node has ended. `case` and `fired` are decisions on values, which the engine never sees. */
export type SettledEvent = {
  t: 'settled';
  path: string;
  status: Status | 'skip';
  case?: string;
  /** Stopped from outside, or failed after its work was done: neither `retry` nor `on_fail: continue` applies. */
  final?: boolean;
  /** The indexes, in document order, of the node's outgoing edges whose condition holds. */
  fired?: readonly number[];
};

type EnteredEvent = { t: 'entered'; path: string; items?: number };

/** The run was interrupted: no further node starts. */
type StopEvent = { t: 'stop'; reason: Reason };

export type RunEvent = { t: 'start' } | EnteredEvent | SettledEvent | StopEvent;

export function openFrame(region: Region, owner?: Cursor): Frame {
  const frame: Frame = { region, status: 'pass', stopped: false, runningCount: 0, visits: new Map(), trail: [], memo: undefined };
  if (owner) frame.owner = owner;
  return frame;
}

export type StartOptions = { item?: number; input?: string | undefined };

/** Puts a cursor on a node, unless the run is ending or a limit is reached. */
export function startNode(state: RunState, frame: Frame, node: PlanNode, { item, input }: StartOptions = {}): Task[] {
  if (!mayStart(state, frame)) return [];
  const key = item === undefined ? node.id : `${node.id}[${item}]`;
  const visit = (frame.visits.get(key) ?? 0) + 1;
  if (visit > state.limits.visitsPerNode) return endAtLimit(state, loopReason(frame, node.id, state.limits));
  frame.visits.set(key, visit);
  addToTrail(frame, node.id);
  const run: Omit<Cursor, 'path'> = { node, visit, attempt: 0, frame };
  if (item !== undefined) run.item = item;
  if (input !== undefined) run.input = input;
  return startAttempt(state, run);
}

export function mayStart(state: RunState, frame: Frame): boolean {
  return !state.ending && !frame.stopped;
}

/** Turns `start` itself into the cursor. */
export function startAttempt(state: RunState, start: Omit<Cursor, 'path'>): Task[] {
  if (++state.steps > state.limits.stepsPerRun) return endAtLimit(state, stepsReason(state));
  const { frame, node } = start;
  const parent = start.recovers?.failed.path ?? frame.owner?.path;
  const cursor = start as Cursor;
  cursor.path = joinPath(parent, { id: node.id, visit: start.visit, attempt: start.attempt, item: start.item });
  if (frame.owner) cursor.parent = frame.owner.path;
  state.cursors.set(cursor.path, cursor);
  frame.runningCount++;
  return [{ do: 'run', run: cursor }];
}

function endAtLimit(state: RunState, reason: Reason): Task[] {
  state.ending = { status: 'fail', reason };
  return [];
}

const maxTrailLength = 64;

function addToTrail(frame: Frame, id: string): void {
  frame.trail.push(id);
  if (frame.trail.length > 2 * maxTrailLength) frame.trail.splice(0, maxTrailLength);
}

function loopReason(frame: Frame, id: string, limits: Limits): Reason {
  const last = frame.trail.lastIndexOf(id);
  const cycle = [...frame.trail.slice(last === -1 ? 0 : last), id].join(' → ');
  const message = `Node ${JSON.stringify(id)} was visited ${limits.visitsPerNode} times, the limit: ${cycle}.`;
  return { code: 'run.too_many_visits', message };
}

function stepsReason(state: RunState): Reason {
  return { code: 'run.too_many_steps', message: `The run took ${state.limits.stepsPerRun} steps, the limit.` };
}
/** How one kind of region moves. `settle` is called for a child that passed, was skipped, or failed without stopping the region. */
export type RegionBehavior = {
  open(state: RunState, frame: Frame, items: number): Task[];
  settle(state: RunState, frame: Frame, child: Cursor, event: SettledEvent): Task[];
};
