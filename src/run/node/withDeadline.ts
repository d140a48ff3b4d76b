// Runs work within a deadline. When the deadline passes or the run ends, the work receives a stop signal. Work that does not stop within
// its grace period is abandoned.
import { RecipeError } from '../../evidence/recipeError.js';
import type { Clock } from '../../system/clock.js';

export type DeadlineBounds = {
  clock: Clock;
  timeoutMs: number;
  /** How long the work may continue after the stop signal, to return what it has. */
  graceMs: number;
  /** Aborted by `withDeadline` when the time is over, or by the caller. */
  stop: StopSignal;
};

export async function withDeadline<T extends { failure?: RecipeError }>(
  work: () => Promise<T>,
  { clock, timeoutMs, graceMs, stop }: DeadlineBounds,
): Promise<T> {
  if (stop.aborted) throw interruptedError(stop);
  const began = clock.now();
  const cleanups: (() => void)[] = [];
  let stopError: RecipeError | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    const handleStop = (): void => {
      const error = stop.reason instanceof RecipeError ? stop.reason : interruptedError(stop);
      stopError = error;
      if (Number.isFinite(graceMs)) cleanups.push(clock.after(graceMs, () => reject(error)));
    };
    cleanups.push(stop.onAbort(handleStop));
  });
  if (Number.isFinite(timeoutMs)) cleanups.push(clock.after(timeoutMs, () => stop.abort(timeoutError(timeoutMs))));
  try {
    const result = await Promise.race([work(), abandoned]);
    // A timer cannot fire while the work blocks the event loop.
    if (!stopError && clock.now() - began > timeoutMs) stopError = timeoutError(timeoutMs);
    return stopError ? { ...result, failure: combineErrors(stopError, result.failure) } : result;
  } catch (thrown) {
    throw stopError ? combineErrors(stopError, thrown) : thrown;
  } finally {
    for (const cleanUp of cleanups) cleanUp();
  }
}

function timeoutError(ms: number): RecipeError {
  return new RecipeError('action.timed_out', 'action', `The node did not finish within ${ms} ms.`);
}

function interruptedError({ reason }: StopSignal): RecipeError {
  return new RecipeError('run.interrupted', 'interrupted', `The run was interrupted: ${String(reason)}.`);
}

/** Combines the timeout error with the error of the work. The error of a failed assertion comes first. */
function combineErrors(stopError: RecipeError, workError: unknown): RecipeError {
  if (stopError.kind === 'interrupted' || workError === stopError || !(workError instanceof RecipeError)) return stopError;
  const combined = new RecipeError(
    workError.kind === 'assertion' ? workError.code : stopError.code,
    workError.kind === 'assertion' ? workError.kind : stopError.kind,
    workError.kind === 'assertion' ? `${workError.message}\n${stopError.message}` : `${stopError.message}\n${workError.message}`,
    undefined,
    { cause: workError.cause },
  );
  if (workError.stack) combined.stack = workError.stack.replace(workError.message, combined.message);
  return combined;
}

/**
 * Asks the work of a node to stop. The AbortSignal is created when an action reads it, because 100,000 nodes with a signal each would take
 * 50 MB.
 */
export class StopSignal {
  private readonly listeners = new Set<() => void>();
  private controller: AbortController | undefined;
  private request: { reason: unknown } | undefined;

  abort(reason: unknown): void {
    if (this.request) return;
    this.request = { reason };
    this.controller?.abort(reason);
    for (const listener of this.listeners) listener();
  }

  get aborted(): boolean {
    return this.request !== undefined;
  }

  get reason(): unknown {
    return this.request?.reason;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.request) this.controller.abort(this.request.reason);
    return this.controller.signal;
  }

  /** The returned function removes the listener. */
  onAbort(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
