// Sums as Python makes them. What comes out has a bound, whatever went in.

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

/** Python would have raised an error, or given something that nobody keeps here. */
export class EvaluationError extends Error {}

function requireNumber(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw new EvaluationError(`${pythonStr(value).slice(0, 60)} is no number`);
  return number;
}

/** A float where Python has one; an int only as far as it is exact. */
function toBoundedNumber(number: number, float: boolean): number | WholeFloat {
  if (!Number.isFinite(number) || !(float || Number.isSafeInteger(number))) throw new EvaluationError(`${number} is too large`);
  return float ? toFloat(number) : number + 0;
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
  const float = isFloat(left) || isFloat(right);
  if (sign === '+') return toBoundedNumber(a + b, float);
  if (sign === '-') return toBoundedNumber(a - b, float);
  if (sign === '*') return toBoundedNumber(a * b, float);
  if (b === 0) throw new EvaluationError('it divides by zero');
  return sign === '/'
    ? toBoundedNumber(a / b, true)
    : toBoundedNumber(floorDivide(a, b)[sign === '//' ? 'floor' : 'rest'], float);
}

/** In items of lists and dicts, with all that is inside of them; ten characters of a text weigh as much as one. */
const maxWeight = 10_000;

/** A condition is decided while everything else waits: a short one must not make something huge. */
function requireSmall<T>(value: T): T {
  if (weigh(value) > maxWeight) throw sizeError();
  return value;
}

/** Looks no further once it is too much. */
function weigh(value: unknown, before = 0): number {
  if (typeof value === 'string') return before + value.length / 10;
  if (typeof value !== 'object' || value === null) return before;
  const items = Object.values(value);
  let weight = before + items.length;
  for (const item of items) {
    if (weight > maxWeight) break;
    weight = weigh(item, weight);
  }
  return weight;
}

function sizeError(): EvaluationError {
  return new EvaluationError(`it makes more than ${maxWeight} items or ${maxWeight * 10} characters`);
}

/** Longer texts and lists are not made. */
const maxRepeatedLength = 4_096;

function repeatSequence(sequence: unknown, times: unknown): unknown {
  if (typeof sequence !== 'string' && !Array.isArray(sequence)) return undefined;
  const count = Math.max(0, isFloat(times) ? Number.NaN : requireNumber(times));
  if (!(sequence.length * count <= maxRepeatedLength)) throw new EvaluationError('it cannot be repeated that often');
  if (weigh(sequence) * count > maxWeight) throw sizeError();
  if (typeof sequence === 'string') return sequence.repeat(sequence === '' ? 0 : count);
  return sequence.length === 0 ? [] : Array.from({ length: count }, () => sequence).flat();
}

// The rest is exact and the quotient is not: 1 // 0.1 is 9.
function floorDivide(a: number, b: number): { floor: number; rest: number } {
  const rest = a % b;
  const isOff = rest !== 0 && rest < 0 !== b < 0;
  const quotient = (a - rest) / b - (isOff ? 1 : 0);
  // Python's zeros have the sign of what they come from.
  if (rest === 0) return { floor: Math.round(quotient), rest: b < 0 ? -0 : 0 };
  return { floor: quotient === 0 ? (a / b) * 0 : Math.round(quotient), rest: isOff ? rest + b : rest };
}

// The few functions and methods of Python that a condition may call.

/** How many arguments each of them takes. */
export type ArgumentCounts = ReadonlyMap<string, readonly [least: number, most: number]>;

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
  if (typeof of !== 'string') throw new EvaluationError(`${pythonStr(of).slice(0, 60)} is no text`);
  if (name === 'lower') return of.toLowerCase();
  if (name === 'upper') return of.toUpperCase();
  if (name === 'strip') return of.trim();
  if (typeof first !== 'string') throw new EvaluationError(`${pythonStr(first).slice(0, 60)} is no text`);
  return name === 'startswith' ? of.startsWith(first) : of.endsWith(first);
}

function getKey(of: unknown, key: unknown, fallback: unknown): unknown {
  if (!isDict(of) || isDict(key) || Array.isArray(key))
    throw new EvaluationError(`${pythonStr(of).slice(0, 60)} has no such keys`);
  const found = typeof key === 'string' ? readKeys(of, [key]) : { found: false as const };
  return found.found ? found.value : fallback;
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
  if (items.length === 0) throw new EvaluationError('nothing is the least or the most of nothing');
  return items.reduce((before, item) => {
    const which = compareValues(item, before);
    if (which === undefined) throw new EvaluationError(`${pythonStr(item).slice(0, 60)} has no place in an order`);
    return which * sign > 0 ? item : before;
  });
}

/** Of a text that is taken apart. */
const maxCharacters = 100_000;

function listItems(value: unknown): readonly unknown[] {
  if (typeof value === 'string' && value.length > maxCharacters) throw new EvaluationError('the text has too many characters');
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
    throw new EvaluationError(`${JSON.stringify(value.slice(0, 60))} is no number`);
  const number = typeof value === 'string' ? Number(value) : requireNumber(value);
  return name === 'int' ? toBoundedNumber(Math.trunc(number), false) : toBoundedNumber(number, true);
}
