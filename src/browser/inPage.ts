// Functions that run inside of the page, with their types kept on the way. Each must stand by itself: only its text goes there.
import type { Locator, Page } from '@playwright/test';
import type { Call } from './call.js';

type Evaluates = {
  evaluate(work: unknown, given: unknown, options?: object): unknown;
  evaluateAll(work: unknown, given: unknown): unknown;
};

export function inPage<A, R>(call: Call, page: Page, { run, given }: { run(given: A): R; given: A }): Promise<Awaited<R>> {
  return call(page as unknown as Evaluates, 'evaluate', run, given) as Promise<Awaited<R>>;
}

type OnElement<E, A, R> = { run(element: E, given: A): R; given: A; timeoutMs?: number };

/** Waits for the element; it must be the only one. */
export function inElement<A, R>(call: Call, element: Locator, work: OnElement<object, A, R>): Promise<Awaited<R>> {
  const { run, given, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return call(element as unknown as Evaluates, 'evaluate', run, given, options) as Promise<Awaited<R>>;
}

/** Over those that are there now. */
export function inElements<A, R>(call: Call, elements: Locator, work: OnElement<readonly object[], A, R>): Promise<Awaited<R>> {
  return call(elements as unknown as Evaluates, 'evaluateAll', work.run, work.given) as Promise<Awaited<R>>;
}

/** Something that stays in the page, to be asked later. */
export type Kept<T> = {
  /** Stands for it where something is given to a function in the page. */
  inPage: T;
  ask<R>(question: (kept: T) => R): Promise<Awaited<R>>;
};

type Keeps = { evaluateHandle(work: unknown, given: unknown, options: object): unknown };

/** Waits for the element; it must be the only one. */
export async function keepFromElement<A, R>(call: Call, element: Locator, work: OnElement<object, A, R>): Promise<Kept<R>> {
  const { run, given, timeoutMs } = work;
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const handle = await call(element as unknown as Keeps, 'evaluateHandle', run, given, options);
  const ask = <Q>(question: (kept: R) => Q): Promise<Awaited<Q>> =>
    call(handle as unknown as Evaluates, 'evaluate', question, undefined) as Promise<Awaited<Q>>;
  return { inPage: handle as unknown as R, ask };
}
