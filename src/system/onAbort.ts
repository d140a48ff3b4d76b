// Hears of an abort. To add and remove listeners of a signal costs more than most of what waits for it, so that each signal has one.
const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** The function it gives withdraws that. A signal that is aborted already tells nobody. */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  const all = listenersBySignal.get(signal) ?? listenTo(signal);
  all.add(then);
  return () => all.delete(then);
}

/** For the one who aborts a signal: the function it gives tells those who hear of it, and no listener of the signal is needed. */
export function createAbortNotifier(signal: AbortSignal): () => void {
  const all = new Set<() => void>();
  listenersBySignal.set(signal, all);
  // One that is withdrawn by another before its turn does not hear of it any more.
  return () => all.forEach((tell) => void tell());
}

function listenTo(signal: AbortSignal): Set<() => void> {
  signal.addEventListener('abort', createAbortNotifier(signal), { once: true });
  return listenersBySignal.get(signal) as Set<() => void>;
}
