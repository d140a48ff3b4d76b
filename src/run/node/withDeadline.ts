// Runs work within a deadline: the work is asked to stop when its time is over or the run ends, and is given up if it does not.
import { RecipeError } from '../../evidence/recipeError.js';
import type { Clock } from '../../system/clock.js';

export type DeadlineBounds = {
  clock: Clock;
  timeoutMs: number;
  /** How long the work may take to return what it has after it was asked to stop. */
  graceMs: number;
  /** Ends the work, from here when its time is over, or from outside. */
  stop: StopSignal;
};

export async function withDeadline<T extends { failure?: RecipeError }>(
  work: () => Promise<T>,
  { clock, timeoutMs, graceMs, stop }: DeadlineBounds,
): Promise<T> {
  if (stop.aborted) throw interruptedError(stop);
  const began = clock.now();
  const cleanups: (() => void)[] = [];
  let over: RecipeError | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    const stopped = (): void => {
      const error = stop.reason instanceof RecipeError ? stop.reason : interruptedError(stop);
      over = error;
      if (Number.isFinite(graceMs)) cleanups.push(clock.after(graceMs, () => reject(error)));
    };
    cleanups.push(stop.onAbort(stopped));
  });
  if (Number.isFinite(timeoutMs)) cleanups.push(clock.after(timeoutMs, () => stop.abort(timeoutError(timeoutMs))));
  try {
    const result = await Promise.race([work(), givenUp]);
    // A timer cannot fire while the work blocks the event loop.
    if (!over && clock.now() - began > timeoutMs) over = timeoutError(timeoutMs);
    return over ? { ...result, failure: combineErrors(over, result.failure) } : result;
  } catch (thrown) {
    throw over ? combineErrors(over, thrown) : thrown;
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

/** The error for the end of the time, with what the work itself says about its end. */
function combineErrors(over: RecipeError, workError: unknown): RecipeError {
  if (over.kind === 'interrupted' || workError === over || !(workError instanceof RecipeError)) return over;
  const both = new RecipeError(
    workError.kind === 'assertion' ? workError.code : over.code,
    workError.kind === 'assertion' ? workError.kind : over.kind,
    workError.kind === 'assertion' ? `${workError.message}\n${over.message}` : `${over.message}\n${workError.message}`,
    undefined,
    { cause: workError.cause },
  );
  if (workError.stack) both.stack = workError.stack.replace(workError.message, both.message);
  return both;
}

/** Asks the work of a node to stop. The AbortSignal is made when an action asks for it: one for each of 100,000 nodes takes 50 MB. */
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
