// Functions that run inside of the page, with their types kept on the way. Each must stand by itself: only its text goes there.
import type { Locator, Page } from '@playwright/test';

type Evaluable = {
  evaluate(work: unknown, given: unknown, options?: object): unknown;
  evaluateAll(work: unknown, given: unknown): unknown;
};

export function evaluateInPage<A, R>(
  call: Call,
  page: Page,
  { run, argument }: { run(given: A): R; argument: A },
): Promise<Awaited<R>> {
  return call(page as unknown as Evaluable, 'evaluate', run, argument) as Promise<Awaited<R>>;
}

type ElementFunction<E, A, R> = { run(element: E, given: A): R; argument: A; timeoutMs?: number };

/** Waits for the element; it must be the only one. */
export function evaluateOnElement<A, R>(call: Call, element: Locator, work: ElementFunction<object, A, R>): Promise<Awaited<R>> {
  const { run, argument, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return call(element as unknown as Evaluable, 'evaluate', run, argument, options) as Promise<Awaited<R>>;
}

/** Over those that are there now. */
export function evaluateOnElements<A, R>(
  call: Call,
  elements: Locator,
  work: ElementFunction<readonly object[], A, R>,
): Promise<Awaited<R>> {
  return call(elements as unknown as Evaluable, 'evaluateAll', work.run, work.argument) as Promise<Awaited<R>>;
}

/** Something that stays in the page, to be asked later. */
export type PageHandle<T> = {
  /** Stands for it where something is given to a function in the page. */
  reference: T;
  evaluate<R>(question: (kept: T) => R): Promise<Awaited<R>>;
};

type HandleEvaluable = { evaluateHandle(work: unknown, given: unknown, options: object): unknown };

/** Waits for the element; it must be the only one. */
export async function evaluateHandleOnElement<A, R>(
  call: Call,
  element: Locator,
  work: ElementFunction<object, A, R>,
): Promise<PageHandle<R>> {
  const { run, argument, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const handle = await call(element as unknown as HandleEvaluable, 'evaluateHandle', run, argument, options);
  const evaluate = <Q>(question: (kept: R) => Q): Promise<Awaited<Q>> =>
    call(handle as unknown as Evaluable, 'evaluate', question, undefined) as Promise<Awaited<Q>>;
  return { reference: handle as unknown as R, evaluate };
}

type Method = (...args: never[]) => unknown;

/** Calls a method so that the host reports it from the node's place in the JSON. */
export type Call = <T extends object, K extends keyof T>(
  target: T,
  method: K,
  ...args: T[K] extends Method ? Parameters<T[K]> : never
) => T[K] extends Method ? Promise<Awaited<ReturnType<T[K]>>> : never;
