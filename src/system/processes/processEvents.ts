// Handles events of this process: signals, uncaught errors, and pending work.
import type { Clock } from '../clock.js';

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm forwards a Ctrl+C that the terminal has also sent to this process. A signal that repeats within this time is the same one. */
export const repeatWindowMs = 1_000;

/** Calls `listener` for each signal, which then does not end this process. Returns a function that stops listening. */
export function onSignals(listener: (signal: string) => void): () => void {
  const handlers = endSignals.map((signal) => [signal, () => listener(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

// Errors of a promise that no code awaits, or of a timer that throws.
const errorEvents = ['unhandledRejection', 'uncaughtException'] as const;

export function onUncaughtErrors(listener: (thrown: unknown) => void): () => void {
  for (const kind of errorEvents) process.on(kind as 'uncaughtException', listener);
  return () => {
    for (const kind of errorEvents) process.off(kind as 'uncaughtException', listener);
  };
}

/** Emits an uncaught error that Node does not see. Returns false when there is no listener. */
export function emitUncaughtError(thrown: unknown): boolean {
  return (process as NodeJS.EventEmitter).emit('uncaughtException', thrown, 'uncaughtException');
}

type ResourceCounts = ReadonlyMap<string, number>;

const pollIntervalMs = 5;

/** Counts the resources that keep the event loop alive, such as timers, sockets and file operations, by kind. */
export function countActiveResources(): ResourceCounts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Waits, at most `maxMs`, until there are no more resources than before, so that late errors occur before the verdict. */
export async function waitForPendingWork(before: ResourceCounts, clock: Clock, maxMs: number): Promise<void> {
  const until = clock.now() + maxMs;
  // Node reports an already rejected promise in the next turn of the event loop.
  await new Promise<void>((resolve) => setImmediate(resolve));
  while (hasMoreResources(before) && clock.now() < until)
    await new Promise<void>((resolve) => void clock.after(pollIntervalMs, resolve));
}

function hasMoreResources(before: ResourceCounts): boolean {
  return [...countActiveResources()].some(([kind, count]) => count > (before.get(kind) ?? 0));
}
