// The official operators. They get a value that exists, and are false for a value of the wrong type.

import { findsPattern } from './patterns.js';

export type Operator = (actual: unknown, expected: unknown) => boolean;

/** An operator of a project. `unary`: the operator needs no expected value. */
export type CustomOperator = { unary?: boolean; holds: Operator };

const size = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : Number.NaN;
};
const compareNumbers = (compare: (a: number, b: number) => boolean): Operator => {
  return (actual, expected) => typeof actual === 'number' && typeof expected === 'number' && compare(actual, expected);
};
const compareLengths = (compare: (a: number, b: number) => boolean): Operator => {
  return (actual, expected) => typeof expected === 'number' && compare(size(actual), expected);
};
const includesItem = (actual: string | unknown[], expected: unknown): boolean => {
  return typeof actual === 'string' ? actual.includes(String(expected)) : actual.some((item) => deepEqual(item, expected));
};
const isStringOrList = (value: unknown): value is string | unknown[] => typeof value === 'string' || Array.isArray(value);

export const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries<Operator>({
    exists: () => true,
    not_null: (actual) => actual !== null,
    truthy: (actual) => Boolean(actual),
    falsy: (actual) => !actual,
    eq: (actual, expected) => actual === expected,
    neq: (actual, expected) => actual !== expected,
    deep_eq: deepEqual,
    gt: compareNumbers((a, b) => a > b),
    gte: compareNumbers((a, b) => a >= b),
    lt: compareNumbers((a, b) => a < b),
    lte: compareNumbers((a, b) => a <= b),
    contains: (actual, expected) => isStringOrList(actual) && includesItem(actual, expected),
    not_contains: (actual, expected) => isStringOrList(actual) && !includesItem(actual, expected),
    matches: (actual, expected) => typeof actual === 'string' && findsPattern(String(expected), actual),
    one_of: (actual, expected) => Array.isArray(expected) && expected.some((item) => deepEqual(item, actual)),
    length_eq: compareLengths((a, b) => a === b),
    length_gt: compareLengths((a, b) => a > b),
    length_gte: compareLengths((a, b) => a >= b),
    length_lt: compareLengths((a, b) => a < b),
    length_lte: compareLengths((a, b) => a <= b),
  }),
);

/** Operators that need no expected value. */
export const unaryOperators: ReadonlySet<string> = new Set(['exists', 'not_null', 'truthy', 'falsy']);

export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b && typeof a === 'object') return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]));
}
