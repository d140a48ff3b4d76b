// The time limit of a group: what is in flight is ended, and nothing more is started.

import { systemClock } from '../../../system/clock.js';
import type { ResolvedNode } from '../resolveNode.js';
import type { At } from './executeNode.js';
import type { Outcome } from './outcome.js';

export async function withGroupDeadline(
  { timeoutMs }: Extract<ResolvedNode, { kind: 'group' }>,
  at: At,
  work: (at: At) => Promise<Outcome>,
): Promise<Outcome> {
  if (timeoutMs === undefined) return work(at);
  const over = new AbortController();
  const withdraw = systemClock.after(timeoutMs, () => over.abort(new Error(`it took longer than ${timeoutMs} ms`)));
  try {
    const outcome = await work({ ...at, signal: AbortSignal.any([at.signal, over.signal]) });
    return over.signal.aborted && outcome.code === 0 ? late(outcome, timeoutMs) : outcome;
  } finally {
    withdraw();
  }
}

// Its last command may have ended well although it was told to stop.
function late(outcome: Outcome, timeoutMs: number): Outcome {
  const unforgiven = [...outcome.unforgiven, { argv: [], reason: `the group took longer than ${timeoutMs} ms` }];
  return { ...outcome, code: 1, killed: true, unforgiven };
}
