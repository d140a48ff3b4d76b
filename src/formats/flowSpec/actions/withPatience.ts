// The same node with less time, so that some is left for what has to be found out after its work.
import type { ActionContext } from '../../../actions/action.js';

/** What a step needs to see where it led to, and to look at the page when it failed. */
export const reserveMs = 2_000;

export function withPatience(context: ActionContext): ActionContext {
  const left = context.remainingMs();
  const until = context.clock.now() + Math.max(left / 2, left - reserveMs);
  const remainingMs = (): number => Math.max(1, until - context.clock.now());
  // Read from the context itself: what it keeps private is not there for anything that stands in for it.
  return new Proxy(context, { get: (given, key) => (key === 'remainingMs' ? remainingMs : Reflect.get(given, key, given)) });
}

/** Undefined when it takes longer, or is not there any more. */
export async function within<T>(ms: number, { clock }: ActionContext, work: Promise<T>): Promise<T | undefined> {
  let withdraw = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    withdraw = clock.after(ms, () => resolve(undefined));
  });
  const done = await Promise.race([work.catch(() => undefined), late]);
  withdraw();
  return done;
}
