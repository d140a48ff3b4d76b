// Limits the time to wait for a page that may never answer.
import type { Clock } from './clock.js';

/** Returns false on a timeout or a failure. Ignores errors and late results. */
export async function succeedsWithin(clock: Clock, timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  let cancelTimer = (): void => undefined;
  const timedOut = new Promise<boolean>((resolve) => {
    cancelTimer = clock.after(Math.max(0, timeoutMs), () => resolve(false));
  });
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, timedOut]).finally(() => cancelTimer());
}
