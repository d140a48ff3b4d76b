// Signals that ask the process to end, handed over instead of obeyed.
const asked = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function onSignals(listener: (signal: string) => void): () => void {
  const listeners = asked.map((signal) => [signal, () => listener(signal)] as const);
  for (const [signal, hear] of listeners) process.on(signal, hear);
  return () => {
    for (const [signal, hear] of listeners) process.off(signal, hear);
  };
}
