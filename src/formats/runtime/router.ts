// Checks and evaluates router expressions of conditional edges, and finds the target in their mapping.
import type { RouterExpression } from './manifest.js';
import { isObject } from './python/pythonJson.js';
import { areEqual, compareValues, isIn, isTruthy } from './python/values.js';
import { findReference, isReference, type RuntimeValues } from './runtimeValues.js';

/** The router expression has no value. */
export class RoutingError extends Error {}

/** A built-in router whose value is the output of the node. Manifests converted from older formats use it. */
export const identityRouter = 'coreason.lib.router.identity';

/** The number of arguments of each operator. */
const operatorArguments: ReadonlyMap<string, readonly [min: number, max: number]> = new Map<string, readonly [number, number]>([
  ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'].map((name) => [name, [2, 2]] as const),
  ...['and', 'or'].map((name) => [name, [1, 100]] as const),
  ...['not', 'exists'].map((name) => [name, [1, 1]] as const),
]);

export const routerOperators: readonly string[] = [...operatorArguments.keys()];

const maxDepth = 20;

/** Returns the reason why an expression can never be evaluated. */
export function findRouterProblem(expression: RouterExpression, depth = 1): string | undefined {
  const { operator, args } = expression;
  if (depth > maxDepth) return `the expression is nested deeper than ${maxDepth} levels`;
  const [min, max] = operatorArguments.get(operator) ?? [0, 0];
  if (max === 0) return `there is no operator ${JSON.stringify(operator.slice(0, 60))}. Known: ${routerOperators.join(', ')}`;
  if (args.length < min || args.length > max)
    return `${JSON.stringify(operator)} has ${args.length} arguments, but it takes ${min === max ? min : `${min} to ${max}`}`;
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
  const order = requireAnswer(compareValues(left, right), operator);
  if (operator === 'gt') return order > 0;
  if (operator === 'lt') return order < 0;
  return operator === 'gte' ? order >= 0 : order <= 0;
}

function resolveArgument(arg: unknown, values: RuntimeValues): unknown {
  if (isRouterExpression(arg)) return evaluateRouter(arg, values);
  if (!isReference(arg)) return arg;
  const result = findReference(values, arg);
  if (result.found) return result.value;
  throw new RoutingError(`${arg} does not exist. Check it first: {"operator": "exists", "args": [${JSON.stringify(arg)}]}`);
}

function requireAnswer<T>(answer: T | undefined, operator: string): T {
  if (answer === undefined) throw new RoutingError(`"${operator}" cannot compare values of these types`);
  return answer;
}

/** Returns the target that `mapping` gives for a value. The key for a boolean can also have Python's spelling, "True". */
export function findTarget(value: unknown, mapping: Readonly<Record<string, string>>): string | undefined {
  const spellings = typeof value === 'boolean' ? [String(value), value ? 'True' : 'False'] : [toMappingKey(value)];
  const key = spellings.find((spelling) => Object.hasOwn(mapping, spelling));
  return key === undefined ? undefined : mapping[key];
}

function toMappingKey(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
