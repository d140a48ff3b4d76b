// Where a conditional edge leads: a logic expression as data, and the key that its value is in the mapping.
import type { RouterExpression } from './manifest.js';
import { isObject } from './python/pythonJson.js';
import { areEqual, compareValues, isIn, isTruthy } from './python/values.js';
import { findReference, isReference, type RuntimeValues } from './runtimeValues.js';

/** Nobody can say where it leads. */
export class RoutingError extends Error {}

/** The router of switches that were made from other manifests: what the node gave is the key. */
export const identityRouter = 'coreason.lib.router.identity';

/** How many arguments each takes. */
const operatorArguments: ReadonlyMap<string, readonly [least: number, most: number]> = new Map<string, readonly [number, number]>(
  [
    ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'].map((name) => [name, [2, 2]] as const),
    ...['and', 'or'].map((name) => [name, [1, 100]] as const),
    ...['not', 'exists'].map((name) => [name, [1, 1]] as const),
  ],
);

export const routerOperators: readonly string[] = [...operatorArguments.keys()];

const maxDepth = 20;

/** What keeps an expression from ever being evaluated. */
export function findRouterProblem(expression: RouterExpression, depth = 1): string | undefined {
  const { operator, args } = expression;
  if (depth > maxDepth) return `it nests deeper than ${maxDepth} levels`;
  const [least, most] = operatorArguments.get(operator) ?? [0, 0];
  if (most === 0) return `there is no operator ${JSON.stringify(operator.slice(0, 60))}; known are ${routerOperators.join(', ')}`;
  if (args.length < least || args.length > most)
    return `${JSON.stringify(operator)} has ${args.length} arguments, not ${least === most ? least : `${least} to ${most}`}`;
  for (const arg of args) {
    const problem = isRouterExpression(arg) ? findRouterProblem(arg, depth + 1) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isRouterExpression(value: unknown): value is RouterExpression {
  return isObject(value) && typeof value.operator === 'string' && Array.isArray(value.args) && Object.keys(value).length === 2;
}

export function evaluateRouter({ operator, args }: RouterExpression, values: RuntimeValues): boolean {
  if (operator === 'and') return args.every((arg) => isTruthy(resolveArgument(arg, values)));
  if (operator === 'or') return args.some((arg) => isTruthy(resolveArgument(arg, values)));
  if (operator === 'not') return !isTruthy(resolveArgument(args[0], values));
  if (operator === 'exists') return isReference(args[0]) ? findReference(values, args[0]).found : args[0] !== null;
  const [left, right] = args.map((arg) => resolveArgument(arg, values));
  if (operator === 'eq') return areEqual(left, right);
  if (operator === 'ne') return !areEqual(left, right);
  if (operator === 'in') return requireAnswer(isIn(left, right), operator);
  if (operator === 'contains') return requireAnswer(isIn(right, left), operator);
  const which = requireAnswer(compareValues(left, right), operator);
  if (operator === 'gt') return which > 0;
  if (operator === 'lt') return which < 0;
  return operator === 'gte' ? which >= 0 : which <= 0;
}

function resolveArgument(arg: unknown, values: RuntimeValues): unknown {
  if (isRouterExpression(arg)) return evaluateRouter(arg, values);
  if (!isReference(arg)) return arg;
  const found = findReference(values, arg);
  if (found.found) return found.value;
  throw new RoutingError(`${arg} is not there. Ask for it first: {"operator": "exists", "args": [${JSON.stringify(arg)}]}`);
}

function requireAnswer<T>(answer: T | undefined, operator: string): T {
  if (answer === undefined) throw new RoutingError(`"${operator}" cannot compare what it was given`);
  return answer;
}

/** Where the mapping leads for a value; true is also written True, as Python does. */
export function findTarget(value: unknown, mapping: Readonly<Record<string, string>>): string | undefined {
  const spellings = typeof value === 'boolean' ? [String(value), value ? 'True' : 'False'] : [toMappingKey(value)];
  const key = spellings.find((spelling) => Object.hasOwn(mapping, spelling));
  return key === undefined ? undefined : mapping[key];
}

function toMappingKey(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
