// Signals that ask the process to end, handed over instead of obeyed.
import type { Clock } from '../clock.js';

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm hands on the Ctrl+C that the terminal has sent already: a signal that comes again within this time is the same one. */
export const repeatWindowMs = 1_000;

export function onSignals(listener: (signal: string) => void): () => void {
  const listeners = endSignals.map((signal) => [signal, () => listener(signal)] as const);
  for (const [signal, hear] of listeners) process.on(signal, hear);
  return () => {
    for (const [signal, hear] of listeners) process.off(signal, hear);
  };
}

// Errors that nobody waited for: a promise that was forgotten, a timer that throws.
const errorEvents = ['unhandledRejection', 'uncaughtException'] as const;

export function onUncaughtErrors(listener: (thrown: unknown) => void): () => void {
  for (const kind of errorEvents) process.on(kind as 'uncaughtException', listener);
  return () => {
    for (const kind of errorEvents) process.off(kind as 'uncaughtException', listener);
  };
}

/** Gives an error that Node will not hear of to whoever listens; false when nobody does. */
export function emitUncaughtError(thrown: unknown): boolean {
  return (process as NodeJS.EventEmitter).emit('uncaughtException', thrown, 'uncaughtException');
}

// Timers, sockets and file operations that code started in this process and did not wait for.

type ResourceCounts = ReadonlyMap<string, number>;

const pollIntervalMs = 5;

/** What keeps the event loop of this process alive now, by kind. */
export function countActiveResources(): ResourceCounts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Waits until there is no more than there was before, so that what fails late fails before anybody calls it a pass; or until the time is over. */
export async function waitForPendingWork(before: ResourceCounts, clock: Clock, longestMs: number): Promise<void> {
  const until = clock.now() + longestMs;
  // What is settled already, such as a rejected promise, is told in the next turn.
  await new Promise<void>((resolve) => setImmediate(resolve));
  while (hasMoreResources(before) && clock.now() < until)
    await new Promise<void>((resolve) => void clock.after(pollIntervalMs, resolve));
}

function hasMoreResources(before: ResourceCounts): boolean {
  return [...countActiveResources()].some(([kind, count]) => count > (before.get(kind) ?? 0));
}
