export type Method = (...args: never[]) => unknown;

/** Calls a method so that the host reports it from the node's place in the JSON. */
export type Call = <T extends object, K extends keyof T>(
  target: T,
  method: K,
  ...args: T[K] extends Method ? Parameters<T[K]> : never
) => T[K] extends Method ? Promise<Awaited<ReturnType<T[K]>>> : never;
