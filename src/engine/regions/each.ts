// The `each` region: the child runs once for each item, in the order of the items, at most `limit` at once.

import type { Each } from '../plan.js';
import { type Frame, type RegionBehavior, type RunState, startNode, type Task } from '../state.js';

type Memo = { items: number; started: number };

export const each: RegionBehavior = {
  open(state, frame, items) {
    frame.memo = { items, started: 0 } satisfies Memo;
    const width = Math.min(items, regionOf(frame).limit);
    return Array.from({ length: width }).flatMap(() => startNext(state, frame));
  },

  continueAfter: (state, frame) => startNext(state, frame),
};

function startNext(state: RunState, frame: Frame): Task[] {
  const memo = frame.memo as Memo;
  if (memo.started >= memo.items) return [];
  return startNode(state, frame, regionOf(frame).child, { item: memo.started++, input: frame.owner?.input });
}

function regionOf(frame: Frame): Each {
  return frame.region as Each;
}
