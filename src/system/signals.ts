// Signals that ask the process to end, handed over instead of obeyed.
const asked = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm hands on the Ctrl+C that the terminal has sent already: a signal that comes again within this time is the same one. */
export const repeatedMs = 1_000;

const ownListeners = new WeakSet<object>();

/** Whether `onSignals` added a listener of `process`, and so takes it away again. */
export function isSignalListener(listener: object): boolean {
  return ownListeners.has(listener);
}

export function onSignals(listener: (signal: string) => void): () => void {
  const listeners = asked.map((signal) => [signal, () => listener(signal)] as const);
  for (const [signal, hear] of listeners) {
    ownListeners.add(hear);
    process.on(signal, hear);
  }
  return () => {
    for (const [signal, hear] of listeners) process.off(signal, hear);
  };
}
