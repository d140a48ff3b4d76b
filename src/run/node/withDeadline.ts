// Races a piece of work against its deadline and against the end of the run; the work is told to stop in either case.
import { RecipeError } from '../../evidence/recipeError.js';
import type { Clock } from '../../system/clock.js';
import { createAbortNotifier, onAbort } from '../../system/onAbort.js';

/** `graceMs`: how long work that was told to stop may take to hand over what it has. `stop` ends the work, from here or from outside. */
export type DeadlineBounds = { clock: Clock; timeoutMs: number; graceMs: number; stop: StopSignal };

/** Work that is done at once is not raced with anything. */
export function withDeadline<T extends { failure?: RecipeError }>(
  work: () => T | Promise<T>,
  bounds: DeadlineBounds,
): T | Promise<T> {
  const { clock, stop, timeoutMs } = bounds;
  if (stop.aborted) throw interruptedError(stop);
  const started = clock.now();
  const result = work();
  if (!isPromise(result)) return clock.now() - started > timeoutMs ? withTimeoutError(result, timeoutMs) : result;
  return race(Promise.resolve(result), { ...bounds, timeoutMs: Math.max(0, timeoutMs - (clock.now() - started)) }, timeoutMs);
}

/** Also one of another realm or library. */
function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function race<T extends { failure?: RecipeError }>(work: Promise<T>, bounds: DeadlineBounds, reportedMs: number): Promise<T> {
  const { clock, timeoutMs, graceMs, stop } = bounds;
  const { signal } = stop;
  const began = clock.now();
  const withdrawals: (() => void)[] = [];
  const withdraw = (): void => withdrawals.splice(0).forEach((one) => void one());
  return new Promise((resolve, reject) => {
    let over: RecipeError | undefined;
    const ended = (): void => {
      over = stop.reason instanceof RecipeError ? stop.reason : interruptedError(stop);
      const error = over;
      const giveUp = (): void => {
        withdraw();
        reject(error);
      };
      if (Number.isFinite(graceMs)) withdrawals.push(clock.after(graceMs, giveUp));
    };
    if (Number.isFinite(timeoutMs)) withdrawals.push(clock.after(timeoutMs, () => stop.abort(timeoutError(reportedMs))));
    if (signal.aborted) ended();
    else withdrawals.push(onAbort(signal, ended));
    const done = (result: T): T => {
      withdraw();
      // A timer cannot fire while the work holds up the event loop.
      if (!over && clock.now() - began > timeoutMs) over = timeoutError(reportedMs);
      // An action of a project may give nothing.
      return over ? { ...result, failure: combineErrors(over, (result as T | undefined)?.failure) } : result;
    };
    const failed = (thrown: unknown): never => {
      withdraw();
      throw over ? combineErrors(over, thrown) : thrown;
    };
    work.then(done, failed).then(resolve, reject);
  });
}

function withTimeoutError<T extends { failure?: RecipeError }>(result: T, ms: number): T {
  return { ...result, failure: combineErrors(timeoutError(ms), result.failure) };
}

function timeoutError(ms: number): RecipeError {
  return new RecipeError('action.timed_out', 'action', `The node did not finish within ${ms} ms.`);
}

function interruptedError({ reason }: StopSignal): RecipeError {
  return new RecipeError('run.interrupted', 'interrupted', `The run was interrupted: ${String(reason)}.`);
}

// What the work itself says of its end is worth reading beside the fact that its time was over.
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

// Tells the work of a node to stop. The signal is made when somebody listens for it: most work is done before.

export class StopSignal {
  private controller: AbortController | undefined;
  private notifyListeners: (() => void) | undefined;
  private request: { reason: unknown } | undefined;

  abort(reason: unknown): void {
    if (this.request) return;
    this.request = { reason };
    this.controller?.abort(reason);
    this.notifyListeners?.();
  }

  get aborted(): boolean {
    return this.request !== undefined;
  }

  get reason(): unknown {
    return this.request?.reason;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      this.notifyListeners = createAbortNotifier(this.controller.signal);
      if (this.request) this.controller.abort(this.request.reason);
    }
    return this.controller.signal;
  }
}
