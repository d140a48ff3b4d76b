// Races a piece of work against its deadline and against the end of the run; the work is told to stop in either case.
import { RecipeError } from '../evidence/failure.js';
import type { Clock } from '../system/clock.js';

/** `graceMs`: how long work that was told to stop may take to hand over what it has. `stop` ends the work, from here or from outside. */
export type Bounds = { clock: Clock; timeoutMs: number; graceMs: number; stop: AbortController };

export async function withDeadline<T extends { failure?: RecipeError }>(
  work: (signal: AbortSignal) => Promise<T>,
  bounds: Bounds,
): Promise<T> {
  const { clock, timeoutMs, graceMs, stop } = bounds;
  const { signal } = stop;
  if (signal.aborted) throw interruption(signal);
  let over: RecipeError | undefined;
  let giveUp = (_: RecipeError): void => undefined;
  const lost = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const withdrawals: (() => void)[] = [];
  const ended = (): void => {
    over = signal.reason instanceof RecipeError ? signal.reason : interruption(signal);
    const error = over;
    if (Number.isFinite(graceMs)) withdrawals.push(clock.after(graceMs, () => giveUp(error)));
  };
  if (Number.isFinite(timeoutMs)) {
    const message = `The node did not finish within ${timeoutMs} ms.`;
    withdrawals.push(clock.after(timeoutMs, () => stop.abort(new RecipeError('action.timed_out', 'action', message))));
  }
  signal.addEventListener('abort', ended, { once: true });
  try {
    const result = await Promise.race([work(signal), lost]);
    return over ? { ...result, failure: explained(over, result.failure) } : result;
  } catch (thrown) {
    throw over ? explained(over, thrown) : thrown;
  } finally {
    signal.removeEventListener('abort', ended);
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
