// The engine: what to do next, given what happened. No clock, no I/O, no values, no action names.
import { all } from './all.js';
import { dag } from './dag.js';
import { each } from './each.js';
import type { Limits, Region, Status } from './plan.js';
import { worse } from './plan.js';
import type { Cursor, Frame, Reason, RunEvent, RunState, Settled, Task } from './state.js';
import { launch, openFrame } from './state.js';
import { walk } from './walk.js';

export type Decision = { tasks: Task[]; cancel: string[]; done?: Outcome };

export type Outcome = { status: Status; reason?: Reason };

/** How a kind of region moves. `settle` hears of a child that passed, was skipped, or failed without stopping the region. */
export type Mover = {
  open(state: RunState, frame: Frame, items: number): Task[];
  settle(state: RunState, frame: Frame, child: Cursor, event: Settled): Task[];
};

const movers: Record<Region['kind'], Mover> = { walk, all, each, dag };

export function beginRun(region: Region, limits: Limits): RunState {
  return { limits, root: openFrame(region), cursors: new Map(), steps: 0 };
}

/** Advances `state` in place. The same events in the same order always give the same decisions. */
export function next(state: RunState, event: RunEvent): Decision {
  const wasEnding = state.ending !== undefined;
  const tasks: Task[] = [];
  let frame: Frame | undefined;
  if (event.t === 'start') {
    frame = state.root;
    tasks.push(...movers[frame.region.kind].open(state, frame, 0));
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
  if (state.ending && !wasEnding) decision.cancel = leaves(state);
  close(state, frame, decision);
  return decision;
}

function enter(state: RunState, path: string, items: number, tasks: Task[]): Frame {
  const cursor = cursorAt(state, path);
  if (!cursor.node.body) throw new Error(`Run ${path} was entered but has no body.`);
  const frame = openFrame(cursor.node.body, cursor);
  if (!state.ending) tasks.push(...movers[frame.region.kind].open(state, frame, items));
  return frame;
}

function settle(state: RunState, event: Settled, tasks: Task[]): Frame {
  const cursor = cursorAt(state, event.path);
  const frame = cursor.frame;
  state.cursors.delete(event.path);
  frame.live--;
  if (event.status === 'pass' || event.status === 'skip') {
    tasks.push(
      ...(cursor.recovers ? retry(state, cursor.recovers) : movers[frame.region.kind].settle(state, frame, cursor, event)),
    );
    return frame;
  }
  const tried = cursor.recovers ?? cursor;
  const mayRetry = !event.final && !cursor.recovers && tried.attempt + 1 < tried.node.attempts;
  if (mayRetry) tasks.push(...(tried.node.recover ? recover(state, tried) : retry(state, tried)));
  else tasks.push(...fail(state, tried, event));
  return frame;
}

function retry(state: RunState, failed: Cursor): Task[] {
  const { path: _, recovers: __, ...again } = failed;
  return launch(state, { ...again, attempt: failed.attempt + 1 });
}

function recover(state: RunState, failed: Cursor): Task[] {
  const node = failed.node.recover;
  return node ? launch(state, { node, visit: 1, attempt: 0, frame: failed.frame, recovers: failed }) : [];
}

function fail(state: RunState, cursor: Cursor, event: Settled): Task[] {
  const { frame, node } = cursor;
  const status: Status = event.status === 'unknown' ? 'unknown' : 'fail';
  if (node.onFail === 'continue' && !event.final) return movers[frame.region.kind].settle(state, frame, cursor, event);
  frame.status = worse(frame.status, status);
  frame.stopped = true;
  if (node.onFail === 'abort') state.ending ??= { status };
  return [];
}

// A region with nothing in flight and nothing to start is over, and with it perhaps the one around it.
function close(state: RunState, frame: Frame, decision: Decision): void {
  if (frame.live > 0) return;
  if (frame.owner) {
    decision.tasks.push({ do: 'finish', run: frame.owner, body: state.ending?.status ?? frame.status });
    return;
  }
  decision.done = state.ending ?? { status: frame.status };
}

function withdraw(state: RunState, path: string): void {
  const cursor = cursorAt(state, path);
  state.cursors.delete(path);
  cursor.frame.live--;
}

function leaves(state: RunState): string[] {
  const parents = new Set([...state.cursors.values()].map((cursor) => cursor.parent));
  return [...state.cursors.keys()].filter((path) => !parents.has(path));
}

function cursorAt(state: RunState, path: string): Cursor {
  const cursor = state.cursors.get(path);
  if (!cursor) throw new Error(`Run ${path} is not in flight.`);
  return cursor;
}
