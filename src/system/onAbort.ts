// Hears of an abort. To add and remove listeners of a signal costs more than most of what waits for it, so that each signal has one.
const heard = new WeakMap<AbortSignal, Set<() => void>>();

/** The function it gives withdraws that. A signal that is aborted already tells nobody. */
export function onAbort(signal: AbortSignal, then: () => void): () => void {
  const all = heard.get(signal) ?? listenTo(signal);
  all.add(then);
  return () => all.delete(then);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  heard.set(signal, all);
  // One that is withdrawn by another before its turn does not hear of it any more.
  signal.addEventListener('abort', () => all.forEach((tell) => void tell()), { once: true });
  return all;
}
