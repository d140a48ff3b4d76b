import type { ActionContext } from './action.js';

/** Ends early when the run does. */
export function pause({ clock, signal }: ActionContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      withdraw();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const withdraw = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
