// The engine: from an event of a run, it decides what to do next. It has no access to a clock, I/O, values or action names.

import type { Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';
import { type Region, worseStatus } from './plan.js';
import { all } from './regions/all.js';
import { dag } from './regions/dag.js';
import { each } from './regions/each.js';
import { walk } from './regions/walk.js';
import {
  type Cursor,
  type Frame,
  mayStart,
  openFrame,
  type Reason,
  type RegionBehavior,
  type RunEvent,
  type RunState,
  type SettledEvent,
  startAttempt,
  type Task,
} from './state.js';

export type Decision = { tasks: Task[]; cancel: string[]; done?: Outcome };

export type Outcome = { status: Status; reason?: Reason };

const behaviors: Record<Region['kind'], RegionBehavior> = { walk, all, each, dag };

export function beginRun(region: Region, limits: Limits): RunState {
  return { limits, root: openFrame(region), cursors: new Map(), steps: 0 };
}

/** Applies an event to a run, and returns the tasks that follow. Changes `state` in place. The same events always lead to the same decisions. */
export function advanceRun(state: RunState, event: RunEvent): Decision {
  if (state.isOver && event.t === 'stop') return { tasks: [], cancel: [] };
  const wasEnding = state.ending !== undefined;
  const tasks: Task[] = [];
  let frame: Frame | undefined;
  if (event.t === 'start') {
    frame = state.root;
    tasks.push(...behaviors[frame.region.kind].open(state, frame, 0));
  } else if (event.t === 'stop') {
    frame = state.root;
    state.ending ??= { status: 'unknown', reason: event.reason };
  } else if (event.t === 'entered') {
    frame = enterBody(state, event.path, event.items ?? 0, tasks);
  } else {
    frame = endNodeRun(state, event, tasks);
  }
  const decision: Decision = { tasks, cancel: [] };
  if (state.ending) {
    decision.tasks = tasks.filter((task) => task.do !== 'run');
    for (const task of tasks) if (task.do === 'run') removeCursor(state, task.run.path);
    if (!wasEnding) decision.cancel = runningLeaves(state);
  }
  closeFrame(state, frame, decision);
  return decision;
}

function enterBody(state: RunState, path: string, items: number, tasks: Task[]): Frame {
  const cursor = cursorAt(state, path);
  if (!cursor.node.body) throw new Error(`Run ${path} was entered, but it has no body.`);
  if (cursor.open !== undefined) throw new Error(`Run ${path} was entered twice.`);
  cursor.open = true;
  const frame = openFrame(cursor.node.body, cursor);
  if (!state.ending) tasks.push(...behaviors[frame.region.kind].open(state, frame, items));
  return frame;
}

function endNodeRun(state: RunState, event: SettledEvent, tasks: Task[]): Frame {
  const cursor = cursorAt(state, event.path);
  if (cursor.open) throw new Error(`Run ${event.path} cannot end while its body runs.`);
  const { frame, recovers } = cursor;
  state.cursors.delete(event.path);
  frame.runningCount--;
  const passed = event.status === 'pass' || event.status === 'skip';
  if (recovers && passed) tasks.push(...startRetry(state, recovers));
  else if (recovers) tasks.push(...failNode(state, recovers.failed, withRecoveryFailure(recovers.settled, event)));
  else if (passed) tasks.push(...behaviors[frame.region.kind].continueAfter(state, frame, cursor, event));
  else if (event.final || cursor.attempt + 1 >= cursor.node.attempts) tasks.push(...failNode(state, cursor, event));
  else if (cursor.node.recover) tasks.push(...startRecovery(state, cursor, event));
  else tasks.push(...startRetry(state, { failed: cursor, settled: event }));
  return frame;
}

type FailedAttempt = { failed: Cursor; settled: SettledEvent };

function startRetry(state: RunState, { failed, settled }: FailedAttempt): Task[] {
  if (!mayStart(state, failed.frame)) return failNode(state, failed, settled);
  const { path: _, open: __, ...run } = failed;
  return startAttempt(state, { ...run, attempt: failed.attempt + 1 });
}

function startRecovery(state: RunState, failed: Cursor, settled: SettledEvent): Task[] {
  const node = failed.node.recover;
  if (!node || !mayStart(state, failed.frame)) return failNode(state, failed, settled);
  return startAttempt(state, { node, visit: 1, attempt: 0, frame: failed.frame, recovers: { failed, settled } });
}

// No attempt follows a failed recovery, so the failed attempt is the result of the node, with the case and the edges that it decided.
function withRecoveryFailure(settled: SettledEvent, recovery: SettledEvent): SettledEvent {
  return {
    ...settled,
    status: worseStatus(failureStatus(settled), failureStatus(recovery)),
    ...(recovery.final ? { final: true } : {}),
  };
}

function failureStatus({ status }: SettledEvent): Status {
  return status === 'unknown' ? 'unknown' : 'fail';
}

function failNode(state: RunState, cursor: Cursor, event: SettledEvent): Task[] {
  const { frame, node } = cursor;
  if (node.onFail === 'continue' && !event.final) return behaviors[frame.region.kind].continueAfter(state, frame, cursor, event);
  const status = failureStatus(event);
  frame.status = worseStatus(frame.status, status);
  frame.stopped = true;
  if (node.onFail === 'abort') state.ending = { ...state.ending, status: worseStatus(state.ending?.status ?? 'pass', status) };
  return [];
}

// A region has ended when nothing in it runs and nothing can start. Then the node that opened the region can finish, or the run ends.
function closeFrame(state: RunState, frame: Frame, decision: Decision): void {
  if (frame.runningCount > 0) return;
  const status = worseStatus(frame.status, state.ending?.status ?? 'pass');
  if (!frame.owner) {
    state.isOver = true;
    decision.done = { ...state.ending, status };
    return;
  }
  frame.owner.open = false;
  decision.tasks.push({ do: 'finish', run: frame.owner, body: status });
}

/** Removes a node run that was about to start, because the run is ending. */
function removeCursor(state: RunState, path: string): void {
  const cursor = cursorAt(state, path);
  state.cursors.delete(path);
  cursor.frame.runningCount--;
}

// A node whose body runs need not be cancelled, because it ends together with its body.
function runningLeaves(state: RunState): string[] {
  return [...state.cursors.values()].filter((cursor) => !cursor.open).map((cursor) => cursor.path);
}

function cursorAt(state: RunState, path: string): Cursor {
  const cursor = state.cursors.get(path);
  if (!cursor) throw new Error(`Run ${path} is not running.`);
  return cursor;
}
