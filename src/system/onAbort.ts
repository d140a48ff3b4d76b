// Calls functions on an abort. Each signal gets one listener, because adding and removing one costs more than most of the work that waits for it.
const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** The returned function cancels the call. Nothing is called for a signal that is aborted already. */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  const all = listenersBySignal.get(signal) ?? listenTo(signal);
  all.add(then);
  return () => all.delete(then);
}

/** For the owner of a signal: the returned function makes the calls, and the signal needs no listener. */
export function createAbortNotifier(signal: AbortSignal): () => void {
  const all = new Set<() => void>();
  listenersBySignal.set(signal, all);
  // A function that an earlier one cancels is not called.
  return () => all.forEach((call) => void call());
}

function listenTo(signal: AbortSignal): Set<() => void> {
  signal.addEventListener('abort', createAbortNotifier(signal), { once: true });
  return listenersBySignal.get(signal) as Set<() => void>;
}
