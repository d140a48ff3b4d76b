// Python's operators, functions and methods for conditions. The size of every result is bounded.

import { readKeys } from '../../../engine/jsonPath.js';
import {
  asNumber,
  compareValues,
  countCharacters,
  isDict,
  isFloat,
  isTruthy,
  pythonStr,
  toFloat,
  type WholeFloat,
} from './values.js';

/** Python would raise an error, or the result would be too large. */
export class EvaluationError extends Error {}

function requireNumber(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw new EvaluationError(`${pythonStr(value).slice(0, 60)} is not a number`);
  return number;
}

/** @throws EvaluationError for an int that JavaScript cannot represent exactly */
function toBoundedNumber(number: number, isFloatResult: boolean): number | WholeFloat {
  if (!Number.isFinite(number) || !(isFloatResult || Number.isSafeInteger(number)))
    throw new EvaluationError(`${number} is too large`);
  return isFloatResult ? toFloat(number) : number + 0;
}

export function negate(value: unknown): number | WholeFloat {
  const number = requireNumber(value);
  return toBoundedNumber(isFloat(value) ? -number : 0 - number, isFloat(value));
}

export function calculate(sign: string, left: unknown, right: unknown): unknown {
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') return requireSmall(left + right);
  if (sign === '+' && Array.isArray(left) && Array.isArray(right)) {
    requireSmall([left, right]);
    return [...left, ...right];
  }
  const repeated = sign === '*' ? (repeatSequence(left, right) ?? repeatSequence(right, left)) : undefined;
  if (repeated !== undefined) return repeated;
  const [a, b] = [requireNumber(left), requireNumber(right)];
  const isFloatResult = isFloat(left) || isFloat(right);
  if (sign === '+') return toBoundedNumber(a + b, isFloatResult);
  if (sign === '-') return toBoundedNumber(a - b, isFloatResult);
  if (sign === '*') return toBoundedNumber(a * b, isFloatResult);
  if (b === 0) throw new EvaluationError('division by zero');
  return sign === '/'
    ? toBoundedNumber(a / b, true)
    : toBoundedNumber(floorDivide(a, b)[sign === '//' ? 'floor' : 'rest'], isFloatResult);
}

/** The weight of a value is its number of items, nested ones included. Ten characters count as one item. */
const maxWeight = 10_000;

/** Conditions are evaluated synchronously, so a short one must not create a huge value. */
function requireSmall<T>(value: T): T {
  if (weigh(value) > maxWeight) throw sizeError();
  return value;
}

/** Stops counting when the limit is exceeded. */
function weigh(value: unknown, weightBefore = 0): number {
  if (typeof value === 'string') return weightBefore + value.length / 10;
  if (typeof value !== 'object' || value === null) return weightBefore;
  const items = Object.values(value);
  let weight = weightBefore + items.length;
  for (const item of items) {
    if (weight > maxWeight) break;
    weight = weigh(item, weight);
  }
  return weight;
}

function sizeError(): EvaluationError {
  return new EvaluationError(`the result has more than ${maxWeight} items or ${maxWeight * 10} characters`);
}

/** The maximum length of a repeated string or list. */
const maxRepeatedLength = 4_096;

function repeatSequence(sequence: unknown, times: unknown): unknown {
  if (typeof sequence !== 'string' && !Array.isArray(sequence)) return undefined;
  const count = Math.max(0, isFloat(times) ? Number.NaN : requireNumber(times));
  if (!(sequence.length * count <= maxRepeatedLength)) throw new EvaluationError('the result of the repetition is too long');
  if (weigh(sequence) * count > maxWeight) throw sizeError();
  if (typeof sequence === 'string') return sequence.repeat(sequence === '' ? 0 : count);
  return sequence.length === 0 ? [] : Array.from({ length: count }, () => sequence).flat();
}

// Computes the floor from the remainder, which is exact. A division would round the quotient: 1 // 0.1 is 9.
function floorDivide(a: number, b: number): { floor: number; rest: number } {
  const rest = a % b;
  const hasOtherSign = rest !== 0 && rest < 0 !== b < 0;
  const quotient = (a - rest) / b - (hasOtherSign ? 1 : 0);
  // In Python, a zero has the sign of its operands.
  if (rest === 0) return { floor: Math.round(quotient), rest: b < 0 ? -0 : 0 };
  return { floor: quotient === 0 ? (a / b) * 0 : Math.round(quotient), rest: hasOtherSign ? rest + b : rest };
}

/** The number of arguments, by function or method. */
export type ArgumentCounts = ReadonlyMap<string, readonly [min: number, max: number]>;

const oneArgument: readonly [number, number] = [1, 1];
export const functionArguments: ArgumentCounts = new Map<string, readonly [number, number]>([
  ...['len', 'str', 'int', 'float', 'bool', 'abs', 'any', 'all'].map((name) => [name, oneArgument] as const),
  ...['min', 'max'].map((name) => [name, [1, 100]] as const),
]);
export const methodArguments: ArgumentCounts = new Map<string, readonly [number, number]>([
  ['get', [1, 2]],
  ...['lower', 'upper', 'strip'].map((name) => [name, [0, 0]] as const),
  ...['startswith', 'endswith'].map((name) => [name, oneArgument] as const),
]);

export function callMethod(name: string, of: unknown, [first, second = null]: readonly unknown[]): unknown {
  if (name === 'get') return getKey(of, first, second);
  if (typeof of !== 'string') throw new EvaluationError(`${pythonStr(of).slice(0, 60)} is not a string`);
  if (name === 'lower') return of.toLowerCase();
  if (name === 'upper') return of.toUpperCase();
  if (name === 'strip') return of.trim();
  if (typeof first !== 'string') throw new EvaluationError(`${pythonStr(first).slice(0, 60)} is not a string`);
  return name === 'startswith' ? of.startsWith(first) : of.endsWith(first);
}

function getKey(of: unknown, key: unknown, fallback: unknown): unknown {
  if (!isDict(of) || isDict(key) || Array.isArray(key))
    throw new EvaluationError(`get() cannot read such a key of ${pythonStr(of).slice(0, 60)}`);
  const result = typeof key === 'string' ? readKeys(of, [key]) : { found: false as const };
  return result.found ? result.value : fallback;
}

export function callFunction(name: string, args: readonly unknown[]): unknown {
  const [first] = args;
  if (name === 'str') return pythonStr(first);
  if (name === 'bool') return isTruthy(first);
  if (name === 'len') return typeof first === 'string' ? countCharacters(first) : listItems(first).length;
  if (name === 'abs') return toBoundedNumber(Math.abs(requireNumber(first)), isFloat(first));
  if (name === 'int' || name === 'float') return convertNumber(name, first);
  if (name === 'any') return listItems(first).some(isTruthy);
  if (name === 'all') return listItems(first).every(isTruthy);
  return findExtreme(name === 'min' ? -1 : 1, args.length === 1 ? listItems(first) : args);
}

function findExtreme(sign: number, items: readonly unknown[]): unknown {
  if (items.length === 0) throw new EvaluationError('an empty list has no minimum or maximum');
  return items.reduce((extreme, item) => {
    const order = compareValues(item, extreme);
    if (order === undefined) throw new EvaluationError(`${pythonStr(item).slice(0, 60)} cannot be ordered`);
    return order * sign > 0 ? item : extreme;
  });
}

/** The maximum length of a string that is split into characters. */
const maxCharacters = 100_000;

function listItems(value: unknown): readonly unknown[] {
  if (typeof value === 'string' && value.length > maxCharacters) throw new EvaluationError('the string has too many characters');
  if (typeof value === 'string') return [...value];
  if (Array.isArray(value)) return value;
  if (isDict(value)) return Object.keys(value);
  throw new EvaluationError(`${pythonStr(value).slice(0, 60)} has no items`);
}

const numberPatterns = {
  int: /^\s*[+-]?\d+\s*$/,
  float: /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/,
};

function convertNumber(name: 'int' | 'float', value: unknown): number | WholeFloat {
  if (typeof value === 'string' && !numberPatterns[name].test(value))
    throw new EvaluationError(`${JSON.stringify(value.slice(0, 60))} is not a number`);
  const number = typeof value === 'string' ? Number(value) : requireNumber(value);
  return name === 'int' ? toBoundedNumber(Math.trunc(number), false) : toBoundedNumber(number, true);
}
