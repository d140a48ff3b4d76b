// The `walk` region: one cursor that moves through a Recipe v1 graph.

import { type Next, type Walk, worseStatus } from '../plan.js';
import { type Frame, type RegionBehavior, type RunState, type SettledEvent, startNode, type Task } from '../state.js';

export const walk: RegionBehavior = {
  open: (state, frame) => goTo(state, frame, regionOf(frame).entry),

  continueAfter(state, frame, { node }, event) {
    if (node.next.kind === 'end') {
      // A skipped end node ends the walk without a status.
      frame.status = worseStatus(frame.status, event.status === 'skip' ? 'unknown' : node.next.status);
      return [];
    }
    const target = nextTarget(node.next, event);
    if (target !== undefined) return goTo(state, frame, target);
    if (node.next.kind === 'cases') frame.status = worseStatus(frame.status, 'unknown');
    return [];
  },
};

/** Returns the id of the node that follows a node that passed or was skipped. */
export function nextTarget(next: Next, event: Pick<SettledEvent, 'case'>): string | undefined {
  if (next.kind === 'to') return next.id;
  if (next.kind === 'cases') return next.cases.get(event.case ?? 'default');
  return undefined;
}

function goTo(state: RunState, frame: Frame, id: string): Task[] {
  const node = regionOf(frame).nodes.get(id);
  if (!node) throw new Error(`The plan has no node ${JSON.stringify(id)}.`);
  return startNode(state, frame, node);
}

function regionOf(frame: Frame): Walk {
  return frame.region as Walk;
}
