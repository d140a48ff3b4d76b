// The `all` region: children run side by side, or one after the other. With `pipe`, each child gets the output of the child before.

import type { All, PlanNode } from '../plan.js';
import {
  type Cursor,
  type Frame,
  type RegionBehavior,
  type RunState,
  type SettledEvent,
  startNode,
  type Task,
} from '../state.js';

type Memo = { children: PlanNode[]; started: number };

export const all: RegionBehavior = {
  open(state, frame) {
    const region = regionOf(frame);
    frame.memo = { children: [...region.nodes.values()], started: 0 } satisfies Memo;
    const width = region.inTurn ? 1 : Math.min(region.limit, region.nodes.size);
    const input = region.pipe ? frame.owner?.input : undefined;
    return Array.from({ length: width }).flatMap(() => startNext(state, frame, input));
  },

  continueAfter: (state, frame, child, event) => startNext(state, frame, pipedInput(frame, child, event)),
};

function startNext(state: RunState, frame: Frame, input: string | undefined): Task[] {
  const memo = frame.memo as Memo;
  const child = memo.children[memo.started];
  if (!child) return [];
  memo.started++;
  return startNode(state, frame, child, { input });
}

// The child after a skipped child gets the input of the skipped one.
function pipedInput(frame: Frame, child: Cursor, event: SettledEvent): string | undefined {
  if (!regionOf(frame).pipe) return undefined;
  if (!regionOf(frame).inTurn) return frame.owner?.input;
  return event.status === 'skip' ? child.input : child.path;
}

function regionOf(frame: Frame): All {
  return frame.region as All;
}
