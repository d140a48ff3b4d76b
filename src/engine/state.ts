// The state of a run: open regions (frames) and the nodes that run in them (cursors). Only `advanceRun()` changes the state.

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
  /** Set by an abort, a stop or an exceeded limit. No node starts after that. */
  ending?: { status: Status; reason?: Reason };
};

export type Reason = { code: string; message: string };

export type Frame = {
  region: Region;
  owner?: Cursor;
  status: Status;
  /** Whether a node failed. No further node of the region starts then, but running nodes continue. */
  stopped: boolean;
  runningCount: number;
  visits: Map<string, number>;
  trail: string[];
  /** Data that the behavior of the region keeps between events. */
  memo: unknown;
};

/** One execution of a node. */
export type NodeRun = {
  path: string;
  node: PlanNode;
  visit: number;
  /** The number of earlier attempts of this visit. */
  attempt: number;
  item?: number;
  /** The path of the node run in whose body this one is. */
  parent?: string;
  /** The path of the node run whose output this one gets. */
  input?: string;
};

export type Cursor = NodeRun & {
  frame: Frame;
  /** True while the body of the node runs, false after it. */
  open?: boolean;
  /** Only for a recovery: the failed attempt before it, and the event with which that attempt ended. */
  recovers?: { failed: Cursor; settled: SettledEvent };
};

export type Task =
  | { do: 'run'; run: NodeRun }
  | { do: 'finish'; run: NodeRun; body: Status }
  | { do: 'skip'; run: NodeRun; reason: string };

/** A node run has ended. `case` and `fired` are decisions on values, which the engine never sees. */
export type SettledEvent = {
  t: 'settled';
  path: string;
  status: Status | 'skip';
  case?: string;
  /** The node was stopped from outside, or failed after its work was done. Neither `retry` nor `on_fail: continue` applies. */
  final?: boolean;
  /** The indexes, in document order, of the node's outgoing edges whose condition holds. */
  fired?: readonly number[];
};

/** A node has begun, and its body can run. `items`: the number of items of an `each` region. */
type EnteredEvent = { t: 'entered'; path: string; items?: number };

/** The run was interrupted, so no further node starts. */
type StopEvent = { t: 'stop'; reason: Reason };

export type RunEvent = { t: 'start' } | EnteredEvent | SettledEvent | StopEvent;

export function openFrame(region: Region, owner?: Cursor): Frame {
  const frame: Frame = { region, status: 'pass', stopped: false, runningCount: 0, visits: new Map(), trail: [], memo: undefined };
  if (owner) frame.owner = owner;
  return frame;
}

export type StartOptions = { item?: number; input?: string | undefined };

/** Starts the next visit of a node, unless the run is ending or a limit is reached. */
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

/** Starts an attempt of a node. The object `start` becomes the cursor. */
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

/** Decides what runs next in one kind of region. `continueAfter`: called for a child that passed, was skipped, or failed without stopping the region. */
export type RegionBehavior = {
  open(state: RunState, frame: Frame, items: number): Task[];
  continueAfter(state: RunState, frame: Frame, child: Cursor, event: SettledEvent): Task[];
};
