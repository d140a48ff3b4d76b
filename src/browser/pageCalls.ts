// Typed calls of functions that run in the page. Only the source text of a function is sent, so it must not use anything
// outside itself.
import type { Locator, Page } from '@playwright/test';

type Evaluable = {
  evaluate(pageFunction: unknown, argument: unknown, options?: object): unknown;
  evaluateAll(pageFunction: unknown, argument: unknown): unknown;
};

export function evaluateInPage<A, R>(
  call: Call,
  page: Page,
  { run, argument }: { run(argument: A): R; argument: A },
): Promise<Awaited<R>> {
  return call(page as unknown as Evaluable, 'evaluate', run, argument) as Promise<Awaited<R>>;
}

type ElementFunction<E, A, R> = { run(element: E, argument: A): R; argument: A; timeoutMs?: number };

/** Waits for the element; it must be the only one. */
export function evaluateOnElement<A, R>(call: Call, element: Locator, work: ElementFunction<object, A, R>): Promise<Awaited<R>> {
  const { run, argument, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return call(element as unknown as Evaluable, 'evaluate', run, argument, options) as Promise<Awaited<R>>;
}

/** Does not wait: runs on the elements that match now, even if there are none. */
export function evaluateOnElements<A, R>(
  call: Call,
  elements: Locator,
  work: ElementFunction<readonly object[], A, R>,
): Promise<Awaited<R>> {
  return call(elements as unknown as Evaluable, 'evaluateAll', work.run, work.argument) as Promise<Awaited<R>>;
}

/** A value that stays in the page. */
export type PageHandle<T> = {
  /** Pass it as the argument of a function in the page, where it becomes the value. */
  reference: T;
  evaluate<R>(pageFunction: (value: T) => R): Promise<Awaited<R>>;
};

type HandleEvaluable = { evaluateHandle(pageFunction: unknown, argument: unknown, options: object): unknown };

/** Waits for the element; it must be the only one. */
export async function evaluateHandleOnElement<A, R>(
  call: Call,
  element: Locator,
  work: ElementFunction<object, A, R>,
): Promise<PageHandle<R>> {
  const { run, argument, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const handle = await call(element as unknown as HandleEvaluable, 'evaluateHandle', run, argument, options);
  const evaluate = <V>(pageFunction: (value: R) => V): Promise<Awaited<V>> =>
    call(handle as unknown as Evaluable, 'evaluate', pageFunction, undefined) as Promise<Awaited<V>>;
  return { reference: handle as unknown as R, evaluate };
}

type Method = (...args: never[]) => unknown;

/** Calls a method so that the host reports it at the position of the node in the JSON. */
export type Call = <T extends object, K extends keyof T>(
  target: T,
  method: K,
  ...args: T[K] extends Method ? Parameters<T[K]> : never
) => T[K] extends Method ? Promise<Awaited<ReturnType<T[K]>>> : never;
