// What follows from what a node gave: what changes in the state, and which edges fire.
import { holds, readCondition } from '../../dialects/runtime/condition.js';
import { evaluateRouter, identityRouter, targetFor, Unroutable } from '../../dialects/runtime/router.js';
import type { RuntimeValues } from '../../dialects/runtime/values.js';
import { RecipeError } from '../../evidence/failure.js';
import type { ActionContext, ActionResult } from '../action.js';
import type { Common, Route } from './fields.js';
import type { Instances } from './instance.js';
import { isPythonOn, type Registered } from './registered.js';
import { callPython } from './usePython.js';

/** What the actions of one setup share. */
export type Runtime = { registered: Registered; instances: Instances };

type Dict = Readonly<Record<string, unknown>>;

/** `told`: what the trace shows beside it. */
export type Given = { output: unknown; update?: Dict | undefined; told?: Dict };

/** A node that has done its work. */
export type Done = { runtime: Runtime; fields: Common; context: ActionContext };

export async function conclude({ runtime, fields, context }: Done, given: Given): Promise<ActionResult> {
  const instance = runtime.instances.of(fields, context);
  const { output, update, told } = given;
  const seen = instance.values(fields, context);
  const nodes = { ...seen.nodes, [fields.node]: output };
  const values: RuntimeValues = { ...seen, nodes, state: { ...seen.state, ...update }, output };
  const routes: Dict[] = [];
  for (const route of fields.routes ?? []) routes.push(await follow(runtime, route, { values, context }));
  instance.keep(fields, context.path, given);
  const changed = update && Object.keys(update).length > 0 ? { update } : {};
  return { output: { output: output ?? null, ...changed, ...told, ...(routes.length > 0 ? { routes } : {}) } };
}

type After = { values: RuntimeValues; context: ActionContext };

async function follow(runtime: Runtime, route: Route, after: After): Promise<Dict> {
  if ('condition' in route) return { condition: route.condition, fires: holds(readCondition(route.condition), after.values) };
  const { router, mapping } = route;
  const value = await routed(runtime, router, after);
  const target = targetFor(value, mapping);
  const name = typeof router === 'string' ? router : 'expression';
  if (target !== undefined) return { router: name, value: value ?? null, target };
  const known = Object.keys(mapping).join(', ') || 'nothing';
  const message = `The router ${name} gave ${JSON.stringify(value) ?? 'nothing'}, which its mapping does not have. It maps ${known}.`;
  throw new RecipeError('runtime.unmapped_route', 'action', message);
}

async function routed(runtime: Runtime, router: Extract<Route, { router: unknown }>['router'], after: After): Promise<unknown> {
  const { values, context } = after;
  if (typeof router !== 'string') return byExpression(router, values);
  const own = runtime.registered.routers?.find(({ name }) => name === router);
  if (own) return own.route(structuredClone(values), { signal: context.signal, projectRoot: context.projectRoot });
  if (router === identityRouter) return values.output;
  if (isPythonOn(runtime.registered)) return callPython(runtime.registered, router, after);
  throw new RecipeError('runtime.unknown_router', 'harness', `${unknownRouter(router)}.`);
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
  if (!Array.isArray(routes) || isPythonOn(registered)) return undefined;
  const names = routes.flatMap(({ router }: { router?: unknown }) => (typeof router === 'string' ? [router] : []));
  const missing = names.find((name) => name !== identityRouter && !routers.some((router) => router.name === name));
  return missing === undefined ? undefined : unknownRouter(missing);
}
