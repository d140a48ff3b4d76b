// Timers, sockets and file operations that code started in this process and did not wait for.
import type { Clock } from './clock.js';

type Resources = ReadonlyMap<string, number>;

const betweenLooksMs = 5;

/** What keeps the event loop of this process alive now, by kind. */
export function activeResources(): Resources {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Waits until there is no more than there was before, so that what fails late fails before anybody calls it a pass; or until the time is over. */
export async function waitForLeftovers(before: Resources, clock: Clock, longestMs: number): Promise<void> {
  const until = clock.now() + longestMs;
  // What is settled already, such as a rejected promise, is told in the next turn.
  await new Promise<void>((resolve) => setImmediate(resolve));
  while (hasMoreThan(before) && clock.now() < until)
    await new Promise<void>((resolve) => void clock.after(betweenLooksMs, resolve));
}

function hasMoreThan(before: Resources): boolean {
  return [...activeResources()].some(([kind, count]) => count > (before.get(kind) ?? 0));
}
