// The engine: what to do next, given what happened. No clock, no I/O, no values, no action names.

import type { Status } from '../recipe/recipe.js';
import type { Limits } from './limits.js';
import type { Region } from './plan.js';
import { worseStatus } from './plan.js';
import { all } from './regions/all.js';
import { dag } from './regions/dag.js';
import { each } from './regions/each.js';
import { walk } from './regions/walk.js';
import type { Cursor, Frame, Reason, RegionBehavior, RunEvent, RunState, SettledEvent, Task } from './state.js';
import { mayStart, openFrame, startAttempt } from './state.js';

export type Decision = { tasks: Task[]; cancel: string[]; done?: Outcome };

export type Outcome = { status: Status; reason?: Reason };

const behaviors: Record<Region['kind'], RegionBehavior> = { walk, all, each, dag };

export function beginRun(region: Region, limits: Limits): RunState {
  return { limits, root: openFrame(region), cursors: new Map(), steps: 0 };
}

/** Advances `state` in place. The same events in the same order always give the same decisions. */
export function next(state: RunState, event: RunEvent): Decision {
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
    frame = enter(state, event.path, event.items ?? 0, tasks);
  } else {
    frame = settle(state, event, tasks);
  }
  const decision: Decision = { tasks: state.ending ? tasks.filter((task) => task.do !== 'run') : tasks, cancel: [] };
  const withdrawn = state.ending ? tasks.filter((task) => task.do === 'run') : [];
  for (const { run } of withdrawn) withdraw(state, run.path);
  if (state.ending && !wasEnding) decision.cancel = runningLeaves(state);
  closeFrame(state, frame, decision);
  return decision;
}

function enter(state: RunState, path: string, items: number, tasks: Task[]): Frame {
  const cursor = cursorAt(state, path);
  if (!cursor.node.body) throw new Error(`Run ${path} was entered but has no body.`);
  if (cursor.open !== undefined) throw new Error(`Run ${path} was entered before.`);
  cursor.open = true;
  const frame = openFrame(cursor.node.body, cursor);
  if (!state.ending) tasks.push(...behaviors[frame.region.kind].open(state, frame, items));
  return frame;
}

function settle(state: RunState, event: SettledEvent, tasks: Task[]): Frame {
  const cursor = cursorAt(state, event.path);
  if (cursor.open) throw new Error(`Run ${event.path} cannot be settled while its body runs.`);
  const { frame, recovers } = cursor;
  state.cursors.delete(event.path);
  frame.runningCount--;
  const passed = event.status === 'pass' || event.status === 'skip';
  if (recovers)
    tasks.push(...(passed ? retry(state, recovers) : fail(state, recovers.failed, withRecoveryFailure(recovers.settled, event))));
  else if (passed) tasks.push(...behaviors[frame.region.kind].settle(state, frame, cursor, event));
  else if (event.final || cursor.attempt + 1 >= cursor.node.attempts) tasks.push(...fail(state, cursor, event));
  else tasks.push(...(cursor.node.recover ? recover(state, cursor, event) : retry(state, { failed: cursor, settled: event })));
  return frame;
}

type FailedAttempt = { failed: Cursor; settled: SettledEvent };

function retry(state: RunState, { failed, settled }: FailedAttempt): Task[] {
  if (!mayStart(state, failed.frame)) return fail(state, failed, settled);
  const { path: _, open: __, ...again } = failed;
  return startAttempt(state, { ...again, attempt: failed.attempt + 1 });
}

function recover(state: RunState, failed: Cursor, settled: SettledEvent): Task[] {
  const node = failed.node.recover;
  if (!node || !mayStart(state, failed.frame)) return fail(state, failed, settled);
  return startAttempt(state, { node, visit: 1, attempt: 0, frame: failed.frame, recovers: { failed, settled } });
}

// A failed recovery ends the tries; what the node itself decided stays.
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

function fail(state: RunState, cursor: Cursor, event: SettledEvent): Task[] {
  const { frame, node } = cursor;
  if (node.onFail === 'continue' && !event.final) return behaviors[frame.region.kind].settle(state, frame, cursor, event);
  const status = failureStatus(event);
  frame.status = worseStatus(frame.status, status);
  frame.stopped = true;
  if (node.onFail === 'abort') state.ending = { ...state.ending, status: worseStatus(state.ending?.status ?? 'pass', status) };
  return [];
}

// A region with nothing in flight and nothing to start is over, and with it perhaps the one around it.
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

function withdraw(state: RunState, path: string): void {
  const cursor = cursorAt(state, path);
  state.cursors.delete(path);
  cursor.frame.runningCount--;
}

// What is open ends by itself when what is inside it does.
function runningLeaves(state: RunState): string[] {
  return [...state.cursors.values()].filter((cursor) => !cursor.open).map((cursor) => cursor.path);
}

function cursorAt(state: RunState, path: string): Cursor {
  const cursor = state.cursors.get(path);
  if (!cursor) throw new Error(`Run ${path} is not in flight.`);
  return cursor;
}
