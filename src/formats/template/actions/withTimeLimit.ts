// A limit beside the deadline of a node, for one that is itself a value of the run.
import type { ActionContext } from '../../../actions/action.js';

export type Limited = { context: ActionContext; isOver(): boolean; withdraw(): void };

export function withTimeLimit(context: ActionContext, limitMs: number): Limited {
  if (limitMs <= 0) return { context, isOver: () => false, withdraw: () => undefined };
  const over = new AbortController();
  const withdraw = context.clock.after(limitMs, () => over.abort(new Error(`it took longer than ${limitMs} ms`)));
  const signal = AbortSignal.any([context.signal, over.signal]);
  // A context may keep things to itself, so it is asked and not copied.
  const limited = new Proxy(context, { get: (target, key) => (key === 'signal' ? signal : Reflect.get(target, key, target)) });
  return { context: limited, isOver: () => over.signal.aborted, withdraw };
}
