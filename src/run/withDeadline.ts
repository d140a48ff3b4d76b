// Races a piece of work against its deadline and against the end of the run; the work is told to stop in either case.
import { RecipeError } from '../evidence/recipeError.js';
import type { Clock } from '../system/clock.js';
import { onAbort } from '../system/onAbort.js';
import type { Stop } from './stop.js';

/** `graceMs`: how long work that was told to stop may take to hand over what it has. `stop` ends the work, from here or from outside. */
export type Bounds = { clock: Clock; timeoutMs: number; graceMs: number; stop: Stop };

/** Work that is done at once is not raced with anything. */
export function withDeadline<T extends { failure?: RecipeError }>(work: () => T | Promise<T>, bounds: Bounds): T | Promise<T> {
  const { clock, stop, timeoutMs } = bounds;
  if (stop.aborted) throw interruption(stop);
  const started = clock.now();
  const result = work();
  if (!isPromise(result)) return clock.now() - started > timeoutMs ? tooLateWith(result, timeoutMs) : result;
  return race(Promise.resolve(result), { ...bounds, timeoutMs: Math.max(0, timeoutMs - (clock.now() - started)) }, timeoutMs);
}

/** Also one of another realm or library. */
function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function race<T extends { failure?: RecipeError }>(work: Promise<T>, bounds: Bounds, given: number): Promise<T> {
  const { clock, timeoutMs, graceMs, stop } = bounds;
  const { signal } = stop;
  const began = clock.now();
  const withdrawals: (() => void)[] = [];
  const withdraw = (): void => withdrawals.splice(0).forEach((one) => void one());
  return new Promise((resolve, reject) => {
    let over: RecipeError | undefined;
    const ended = (): void => {
      over = stop.reason instanceof RecipeError ? stop.reason : interruption(stop);
      const error = over;
      const giveUp = (): void => {
        withdraw();
        reject(error);
      };
      if (Number.isFinite(graceMs)) withdrawals.push(clock.after(graceMs, giveUp));
    };
    if (Number.isFinite(timeoutMs)) withdrawals.push(clock.after(timeoutMs, () => stop.abort(tooLate(given))));
    if (signal.aborted) ended();
    else withdrawals.push(onAbort(signal, ended));
    const done = (result: T): T => {
      withdraw();
      // A timer cannot fire while the work holds up the event loop.
      if (!over && clock.now() - began > timeoutMs) over = tooLate(given);
      // An action of a project may give nothing.
      return over ? { ...result, failure: explained(over, (result as T | undefined)?.failure) } : result;
    };
    const failed = (thrown: unknown): never => {
      withdraw();
      throw over ? explained(over, thrown) : thrown;
    };
    work.then(done, failed).then(resolve, reject);
  });
}

function tooLateWith<T extends { failure?: RecipeError }>(result: T, ms: number): T {
  return { ...result, failure: explained(tooLate(ms), result.failure) };
}

function tooLate(ms: number): RecipeError {
  return new RecipeError('action.timed_out', 'action', `The node did not finish within ${ms} ms.`);
}

function interruption({ reason }: Stop): RecipeError {
  return new RecipeError('run.interrupted', 'interrupted', `The run was interrupted: ${String(reason)}.`);
}

// What the work itself says of its end is worth reading beside the fact that its time was over.
function explained(over: RecipeError, own: unknown): RecipeError {
  if (over.kind === 'interrupted' || own === over || !(own instanceof RecipeError)) return over;
  const both = new RecipeError(
    own.kind === 'assertion' ? own.code : over.code,
    own.kind === 'assertion' ? own.kind : over.kind,
    own.kind === 'assertion' ? `${own.message}\n${over.message}` : `${over.message}\n${own.message}`,
    undefined,
    { cause: own.cause },
  );
  if (own.stack) both.stack = own.stack.replace(own.message, both.message);
  return both;
}
