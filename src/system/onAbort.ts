// Calls functions when a signal aborts. Each signal gets only one event listener, because adding and removing listeners is slow.
const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `then` when the signal aborts, but not if it has already aborted. Returns a function that cancels the call. */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  const all = listenersBySignal.get(signal) ?? addAbortListener(signal);
  all.add(then);
  return () => all.delete(then);
}

/** Returns a function that makes the calls. The owner of a signal calls it on an abort, so that the signal needs no event listener. */
export function createAbortNotifier(signal: AbortSignal): () => void {
  const all = new Set<() => void>();
  listenersBySignal.set(signal, all);
  // forEach skips a function that an earlier function cancels.
  return () => all.forEach((call) => void call());
}

function addAbortListener(signal: AbortSignal): Set<() => void> {
  signal.addEventListener('abort', createAbortNotifier(signal), { once: true });
  return listenersBySignal.get(signal) as Set<() => void>;
}
