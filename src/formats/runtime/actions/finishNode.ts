// What follows from what a node gave: what changes in the state, and which edges fire.
import type { ActionContext, ActionResult } from '../../../actions/action.js';
import { RecipeError, toRecipeError } from '../../../evidence/recipeError.js';
import { evaluateCondition, readCondition } from '../condition.js';
import { evaluateRouter, findTarget, identityRouter, RoutingError } from '../router.js';
import type { RuntimeValues } from '../runtimeValues.js';
import { callPythonRouter } from './callPython.js';
import type { CommonFields, Route } from './fields.js';
import type { ManifestInstances } from './manifestInstance.js';
import type { Dict, NodeResult } from './parseAgentResult.js';
import { callHandler, isPythonOn, type ProjectHandlers, pythonProgram } from './projectHandlers.js';

/** What the actions of one setup share. */
export type RuntimeServices = { handlers: ProjectHandlers; instances: ManifestInstances };

/** A node that has done its work. */
type FinishedNode = { runtime: RuntimeServices; fields: CommonFields; context: ActionContext };

export async function finishNode({ runtime, fields, context }: FinishedNode, result: NodeResult): Promise<ActionResult> {
  const instance = runtime.instances.get(fields, context);
  const { output, update, details } = result;
  const before = instance.values(fields, context);
  const nodes = { ...before.nodes, [fields.node]: output };
  const values: RuntimeValues = { ...before, nodes, state: { ...before.state, ...update }, output };
  instance.saveResult(fields, context.path, result);
  const decisions = await decideRoutes(fields.routes ?? [], runtime, { values, context });
  const changed = update && Object.keys(update).length > 0 ? { update } : {};
  const routes = decisions.outcomes.length > 0 ? { routes: decisions.outcomes } : {};
  const whole = { output: output ?? null, ...changed, ...details, ...routes };
  return decisions.failure ? { output: whole, failure: decisions.failure, final: true } : { output: whole };
}

/** What the node did is done: that nobody knows where to go from there is no reason to do it again. */
async function decideRoutes(
  routes: readonly Route[],
  { handlers }: RuntimeServices,
  context: RoutingContext,
): Promise<RouteDecisions> {
  const outcomes: Dict[] = [];
  for (const route of routes) {
    try {
      outcomes.push(
        'condition' in route ? evaluateConditionRoute(route.condition, context) : await askRouter(handlers, route, context),
      );
    } catch (thrown) {
      return { outcomes, failure: toRecipeError(thrown) };
    }
  }
  return { outcomes };
}

type RouteDecisions = { outcomes: readonly Dict[]; failure?: RecipeError };

function evaluateConditionRoute(condition: string, { values }: RoutingContext): Dict {
  return { condition, fires: evaluateCondition(readCondition(condition), values) };
}

// Where a conditional edge leads: what its router says, within a time of its own, and what the mapping makes of it.

/** A router only chooses. The node before it may have no limit of its own: a map takes as long as its items do. */
const routerMs = 30_000;

type RouteOutcome = Readonly<Record<string, unknown>>;
type RouterRoute = Extract<Route, { router: unknown }>;

type RoutingContext = { values: RuntimeValues; context: ActionContext };

/** @throws RecipeError for a value that the mapping does not have */
async function askRouter(
  handlers: ProjectHandlers,
  { router, mapping }: RouterRoute,
  context: RoutingContext,
): Promise<RouteOutcome> {
  const value = await callRouter(handlers, router, context);
  const target = findTarget(value, mapping);
  const name = typeof router === 'string' ? router : 'expression';
  if (target !== undefined) return { router: name, value: value ?? null, target };
  const known = Object.keys(mapping).join(', ') || 'nothing';
  const message = `The router ${name} gave ${JSON.stringify(value) ?? 'nothing'}, which its mapping does not have. It maps ${known}.`;
  throw new RecipeError('runtime.unmapped_route', 'action', message);
}

async function callRouter(
  handlers: ProjectHandlers,
  router: RouterRoute['router'],
  { values, context }: RoutingContext,
): Promise<unknown> {
  if (typeof router !== 'string') return evaluateRouterExpression(router, values);
  const registeredRouter = handlers.routers?.find(({ name }) => name === router);
  if (registeredRouter) {
    const route = (signal: AbortSignal): unknown =>
      registeredRouter.route(structuredClone(values), { signal, projectRoot: context.projectRoot });
    return withRouterTimeout(router, context, (signal) =>
      raceAbort(
        signal,
        callHandler(`The router ${JSON.stringify(router)}`, () => route(signal)),
      ),
    );
  }
  if (router === identityRouter) return values.output;
  if (isPythonOn(handlers))
    return withRouterTimeout(router, context, (signal, ms) =>
      callPythonRouter(handlers, router, { values, context, signal, ms }),
    );
  throw new RecipeError('runtime.unknown_router', 'harness', `${unknownRouterMessage(router)}.`);
}

type RouterCall = (signal: AbortSignal, ms: number) => Promise<unknown>;

async function withRouterTimeout(
  router: string,
  { clock, signal, remainingMs }: ActionContext,
  ask: RouterCall,
): Promise<unknown> {
  const timeout = new AbortController();
  const message = `The router ${router} did not say within ${routerMs / 1_000} s where to go.`;
  const timeoutError = new RecipeError('runtime.router_timed_out', 'action', message);
  const cancelTimer = clock.after(routerMs, () => timeout.abort(timeoutError));
  try {
    return await ask(AbortSignal.any([signal, timeout.signal]), Math.min(routerMs, remainingMs()));
  } catch (thrown) {
    throw timeout.signal.aborted ? timeoutError : thrown;
  } finally {
    cancelTimer();
  }
}

/** A function may not listen to its signal; a process is always ended. */
function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function evaluateRouterExpression(router: { operator: string; args: unknown[] }, values: RuntimeValues): boolean {
  try {
    return evaluateRouter(router, values);
  } catch (thrown) {
    if (!(thrown instanceof RoutingError)) throw thrown;
    throw new RecipeError('runtime.unroutable', 'action', `Nobody can say where the router leads: ${thrown.message}.`);
  }
}

function unknownRouterMessage(name: string): string {
  return `the router ${JSON.stringify(name)} is not registered; add defineRouter(${JSON.stringify(name)}, …) to "routers" of the setup module`;
}

/** The first router of a node that nobody could ask. */
export function describeMissingRouter({ routers = [], ...registered }: ProjectHandlers, routes: unknown): string | undefined {
  if (isPythonOn(registered)) return undefined;
  const missing = findUnregisteredRouters({ routers }, routes)[0];
  return missing === undefined ? undefined : unknownRouterMessage(missing);
}

/** What has to be installed for the routers of a node. */
export function routerPrograms(handlers: ProjectHandlers, routes: unknown): string[] {
  return isPythonOn(handlers) && findUnregisteredRouters(handlers, routes).length > 0 ? [pythonProgram(handlers)] : [];
}

/** Those that only Python could know. */
function findUnregisteredRouters({ routers = [] }: ProjectHandlers, routes: unknown): string[] {
  if (!Array.isArray(routes)) return [];
  const names = routes.flatMap(({ router }: { router?: unknown }) => (typeof router === 'string' ? [router] : []));
  return names.filter((name) => name !== identityRouter && !routers.some((router) => router.name === name));
}
