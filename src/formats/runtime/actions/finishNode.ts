// Finishes a node of a manifest: saves its result in the state, and decides which of its edges fire.
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

/** The services that the actions of one setup share. */
export type RuntimeServices = { handlers: ProjectHandlers; instances: ManifestInstances };

/** A node whose work is complete. */
type FinishedNode = { runtime: RuntimeServices; fields: CommonFields; context: ActionContext };

export async function finishNode({ runtime, fields, context }: FinishedNode, result: NodeResult): Promise<ActionResult> {
  const instance = runtime.instances.get(fields, context);
  const { output, update, details } = result;
  const valuesBefore = instance.values(fields, context);
  const nodes = { ...valuesBefore.nodes, [fields.node]: output };
  const values: RuntimeValues = { ...valuesBefore, nodes, state: { ...valuesBefore.state, ...update }, output };
  instance.saveResult(fields, context.path, result);
  const decisions = await decideRoutes(fields.routes ?? [], runtime, { values, context });
  const updateField = update && Object.keys(update).length > 0 ? { update } : {};
  const routes = decisions.outcomes.length > 0 ? { routes: decisions.outcomes } : {};
  const nodeOutput = { output: output ?? null, ...updateField, ...details, ...routes };
  return decisions.failure ? { output: nodeOutput, failure: decisions.failure, final: true } : { output: nodeOutput };
}

/** Returns the error of a route instead of throwing it: the work of the node is complete, so the node must not be retried. */
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

// A conditional edge asks its router within a separate time limit, and maps the answer to the target node.

/** A router has a separate time limit, because a node such as a map may have none. */
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
  const known = Object.keys(mapping).join(', ') || 'none';
  const message = `The router ${name} returned ${JSON.stringify(value) ?? 'nothing'}, which its mapping does not have. Known values: ${known}.`;
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
  const message = `The router ${router} did not answer within ${routerMs / 1_000} s.`;
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

/** Rejects on abort even when a function ignores its signal. A process does not need this, because it is killed. */
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
    throw new RecipeError('runtime.unroutable', 'action', `The router expression cannot be evaluated: ${thrown.message}.`);
  }
}

function unknownRouterMessage(name: string): string {
  return `the router ${JSON.stringify(name)} is not registered; add defineRouter(${JSON.stringify(name)}, …) to "routers" of the setup module`;
}

/** Describes the first router of a node that is not registered and cannot run as Python. */
export function describeMissingRouter({ routers = [], ...registered }: ProjectHandlers, routes: unknown): string | undefined {
  if (isPythonOn(registered)) return undefined;
  const missing = findUnregisteredRouters({ routers }, routes)[0];
  return missing === undefined ? undefined : unknownRouterMessage(missing);
}

/** Returns the programs that the routers of a node need. */
export function routerPrograms(handlers: ProjectHandlers, routes: unknown): string[] {
  return isPythonOn(handlers) && findUnregisteredRouters(handlers, routes).length > 0 ? [pythonProgram(handlers)] : [];
}

/** Returns the routers that are not registered, so that only Python can have them. */
function findUnregisteredRouters({ routers = [] }: ProjectHandlers, routes: unknown): string[] {
  if (!Array.isArray(routes)) return [];
  const names = routes.flatMap(({ router }: { router?: unknown }) => (typeof router === 'string' ? [router] : []));
  return names.filter((name) => name !== identityRouter && !routers.some((router) => router.name === name));
}
