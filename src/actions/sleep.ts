import { onAbort } from '../system/onAbort.js';
import type { ActionContext } from './action.js';

/** Ends early when the run does. */
export function sleep({ clock, signal }: ActionContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      withdraw();
      unhear();
      resolve();
    };
    const withdraw = clock.after(ms, end);
    const unhear = onAbort(signal, end);
  });
}
