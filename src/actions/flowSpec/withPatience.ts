// The same node with less time, for work that has something to fall back on.
import type { ActionContext } from '../action.js';

export function withPatience(context: ActionContext, ms: number): ActionContext {
  const until = context.clock.now() + ms;
  const remainingMs = (): number => Math.max(1, Math.min(context.remainingMs(), until - context.clock.now()));
  // Read from the context itself: what it keeps private is not there for anything that stands in for it.
  return new Proxy(context, { get: (given, key) => (key === 'remainingMs' ? remainingMs : Reflect.get(given, key, given)) });
}
