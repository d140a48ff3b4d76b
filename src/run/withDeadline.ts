// Races a piece of work against its deadline and against the end of the run; the work is told to stop in either case.
import { RecipeError } from '../evidence/failure.js';
import type { Clock } from '../system/clock.js';

/** `graceMs`: how long work that was told to stop may take to hand over what it has. */
export type Bounds = { clock: Clock; timeoutMs: number; graceMs: number; signal: AbortSignal };

export async function withDeadline<T extends { failure?: RecipeError }>(
  work: (signal: AbortSignal) => Promise<T>,
  bounds: Bounds,
): Promise<T> {
  const { clock, timeoutMs, graceMs, signal } = bounds;
  if (signal.aborted) throw interruption(signal);
  const stop = new AbortController();
  let over: RecipeError | undefined;
  let giveUp = (_: RecipeError): void => undefined;
  const lost = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const withdrawals: (() => void)[] = [];
  const end = (error: RecipeError): void => {
    over ??= error;
    stop.abort(error);
    if (Number.isFinite(graceMs)) withdrawals.push(clock.after(graceMs, () => giveUp(error)));
  };
  const interrupt = (): void => end(interruption(signal));
  if (Number.isFinite(timeoutMs)) {
    const late = () => end(new RecipeError('action.timed_out', 'action', `The node did not finish within ${timeoutMs} ms.`));
    withdrawals.push(clock.after(timeoutMs, late));
  }
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const result = await Promise.race([work(stop.signal), lost]);
    return over ? { ...result, failure: explained(over, result.failure) } : result;
  } catch (thrown) {
    throw over ? explained(over, thrown) : thrown;
  } finally {
    signal.removeEventListener('abort', interrupt);
    for (const withdraw of withdrawals) withdraw();
  }
}

function interruption(signal: AbortSignal): RecipeError {
  return new RecipeError('run.interrupted', 'interrupted', `The run was interrupted: ${signal.reason}.`);
}

// What the work itself says of its end is worth reading beside the fact that its time was over.
function explained(over: RecipeError, own: unknown): RecipeError {
  if (over.kind === 'interrupted' || !(own instanceof RecipeError)) return over;
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
