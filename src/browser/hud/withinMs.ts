// How long one waits for a page that may never answer.
import type { Clock } from '../../system/clock.js';

/** Whether the work was done in time. What it failed of, and what becomes of it later, is nobody's concern any more. */
export async function withinMs(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  let withdraw = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    withdraw = clock.after(Math.max(0, ms), () => resolve(false));
  });
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]).finally(() => withdraw());
}
