// Errors that nobody waited for: a promise that was forgotten, a timer that throws.
const kinds = ['unhandledRejection', 'uncaughtException'] as const;

export function onStrayErrors(listener: (thrown: unknown) => void): () => void {
  for (const kind of kinds) process.on(kind as 'uncaughtException', listener);
  return () => {
    for (const kind of kinds) process.off(kind as 'uncaughtException', listener);
  };
}

/** Gives an error that Node will not hear of to whoever listens; false when nobody does. */
export function isHeardAsStray(thrown: unknown): boolean {
  return (process as NodeJS.EventEmitter).emit('uncaughtException', thrown, 'uncaughtException');
}
