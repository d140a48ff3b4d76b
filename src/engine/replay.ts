// Replays the decisions of a recorded run in the engine, and reports where the recorded path is impossible in the plan.

import { omitUndefined } from '../document/omitUndefined.js';
import { advanceRun, beginRun, type Decision } from './advanceRun.js';
import type { Limits } from './limits.js';
import type { Region } from './plan.js';
import type { Cursor, RunEvent, SettledEvent, Task } from './state.js';

/** A journal line, reduced to the fields on which the engine decides. */
export type RecordedEvent =
  | { t: 'begin'; path: string; runs: boolean; items?: number | undefined }
  | {
      t: 'end';
      path: string;
      status: SettledEvent['status'];
      case?: string | undefined;
      fired?: readonly number[] | undefined;
      final?: boolean | undefined;
    };

export type ReplayResult = {
  /** The number of lines that belong to this region. */
  lines: number;
  done?: Decision['done'];
  /** Why the plan does not allow the recorded path, as a message. */
  difference?: string;
};

export function replayRegion(region: Region, limits: Limits, recorded: readonly RecordedEvent[]): ReplayResult {
  const state = beginRun(region, limits);
  const expected = new Map<string, Task>();
  let done: Decision['done'];
  const apply = (event: RunEvent): void => {
    const decision = advanceRun(state, event);
    for (const task of decision.tasks) if (task.do !== 'finish') expected.set(task.run.path, task);
    done ??= decision.done;
  };
  apply({ t: 'start' });
  for (const [index, line] of recorded.entries()) {
    if (done) return { lines: index, done };
    const task = expected.get(line.path);
    if (!task) {
      const candidates = [...expected.keys()].join(', ') || 'nothing';
      return { lines: index, difference: `${line.path} cannot come next, only ${candidates} can` };
    }
    const contradiction = findContradiction(state.cursors.get(line.path), line);
    if (contradiction) return { lines: index, difference: contradiction };
    if (line.t === 'begin') {
      if (line.runs && task.run.node.body) apply({ t: 'entered', path: line.path, ...omitUndefined({ items: line.items }) });
      continue;
    }
    expected.delete(line.path);
    if (task.do === 'run') {
      const decisions = omitUndefined({ case: line.case, fired: line.fired, final: line.final });
      apply({ t: 'settled', path: line.path, status: line.status, ...decisions });
    }
  }
  return done ? { lines: recorded.length, done } : { lines: recorded.length };
}

// The lines of a journal that was changed or cut can contradict the state of a node.
function findContradiction(cursor: Cursor | undefined, line: RecordedEvent): string | undefined {
  if (line.t === 'begin' && line.runs && cursor?.open !== undefined) return `${line.path} begins a second time`;
  if (line.t === 'end' && cursor?.open) return `${line.path} ends while its body still runs`;
  return undefined;
}
