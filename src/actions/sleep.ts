import { onAbort } from '../system/onAbort.js';
import type { ActionContext } from './action.js';

/** Resolves early when the node is aborted. */
export async function sleep({ clock, signal }: ActionContext, ms: number): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancelTimer();
      stopListening();
      resolve();
    };
    const cancelTimer = clock.after(ms, end);
    const stopListening = onAbort(signal, end);
  });
}
