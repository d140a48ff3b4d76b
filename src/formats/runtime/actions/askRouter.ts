// Where a conditional edge leads: what its router says, within a time of its own, and what the mapping makes of it.

import type { ActionContext } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import { evaluateRouter, identityRouter, targetFor, Unroutable } from '../router.js';
import type { RuntimeValues } from '../values.js';
import type { Route } from './fields.js';
import { handled } from './handled.js';
import { isPythonOn, pythonProgram, type Registered } from './registered.js';
import { callPython } from './usePython.js';

/** A router only chooses. The node before it may have no limit of its own: a map takes as long as its items do. */
const routerMs = 30_000;

type Dict = Readonly<Record<string, unknown>>;
type Routed = Extract<Route, { router: unknown }>;

export type After = { values: RuntimeValues; context: ActionContext };

/** @throws RecipeError for a value that the mapping does not have */
export async function askRouter(registered: Registered, { router, mapping }: Routed, after: After): Promise<Dict> {
  const value = await saidBy(registered, router, after);
  const target = targetFor(value, mapping);
  const name = typeof router === 'string' ? router : 'expression';
  if (target !== undefined) return { router: name, value: value ?? null, target };
  const known = Object.keys(mapping).join(', ') || 'nothing';
  const message = `The router ${name} gave ${JSON.stringify(value) ?? 'nothing'}, which its mapping does not have. It maps ${known}.`;
  throw new RecipeError('runtime.unmapped_route', 'action', message);
}

async function saidBy(registered: Registered, router: Routed['router'], { values, context }: After): Promise<unknown> {
  if (typeof router !== 'string') return byExpression(router, values);
  const own = registered.routers?.find(({ name }) => name === router);
  if (own) {
    const route = (signal: AbortSignal): unknown =>
      own.route(structuredClone(values), { signal, projectRoot: context.projectRoot });
    return inTime(router, context, (signal) =>
      raced(
        signal,
        handled(`The router ${JSON.stringify(router)}`, () => route(signal)),
      ),
    );
  }
  if (router === identityRouter) return values.output;
  if (isPythonOn(registered))
    return inTime(router, context, (signal, ms) => callPython(registered, router, { values, context, signal, ms }));
  throw new RecipeError('runtime.unknown_router', 'harness', `${unknownRouter(router)}.`);
}

type Asked = (signal: AbortSignal, ms: number) => Promise<unknown>;

async function inTime(router: string, { clock, signal, remainingMs }: ActionContext, ask: Asked): Promise<unknown> {
  const over = new AbortController();
  const message = `The router ${router} did not say within ${routerMs / 1_000} s where to go.`;
  const tooLate = new RecipeError('runtime.router_timed_out', 'action', message);
  const withdraw = clock.after(routerMs, () => over.abort(tooLate));
  try {
    return await ask(AbortSignal.any([signal, over.signal]), Math.min(routerMs, remainingMs()));
  } catch (thrown) {
    throw over.signal.aborted ? tooLate : thrown;
  } finally {
    withdraw();
  }
}

/** A function may not listen to its signal; a process is always ended. */
function raced<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function byExpression(router: { operator: string; args: unknown[] }, values: RuntimeValues): boolean {
  try {
    return evaluateRouter(router, values);
  } catch (thrown) {
    if (!(thrown instanceof Unroutable)) throw thrown;
    throw new RecipeError('runtime.unroutable', 'action', `Nobody can say where the router leads: ${thrown.message}.`);
  }
}

function unknownRouter(name: string): string {
  return `the router ${JSON.stringify(name)} is not registered; add defineRouter(${JSON.stringify(name)}, …) to "routers" of the setup module`;
}

/** The first router of a node that nobody could ask. */
export function missingRouter({ routers = [], ...registered }: Registered, routes: unknown): string | undefined {
  if (isPythonOn(registered)) return undefined;
  const missing = foreignRouters({ routers }, routes)[0];
  return missing === undefined ? undefined : unknownRouter(missing);
}

/** What has to be installed for the routers of a node. */
export function routerPrograms(registered: Registered, routes: unknown): string[] {
  return isPythonOn(registered) && foreignRouters(registered, routes).length > 0 ? [pythonProgram(registered)] : [];
}

/** Those that only Python could know. */
function foreignRouters({ routers = [] }: Registered, routes: unknown): string[] {
  if (!Array.isArray(routes)) return [];
  const names = routes.flatMap(({ router }: { router?: unknown }) => (typeof router === 'string' ? [router] : []));
  return names.filter((name) => name !== identityRouter && !routers.some((router) => router.name === name));
}
