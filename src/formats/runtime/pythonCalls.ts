// The few functions and methods of Python that a condition may call.
import { readKeys } from '../../engine/path.js';
import { Incomparable, numberOf, toNumber } from './pythonSums.js';
import { lengthOf } from './pythonText.js';
import { isDict, isFloat, isTrue, order, textOf, type Whole } from './pythonValue.js';

/** How many arguments each of them takes. */
export type Counts = ReadonlyMap<string, readonly [least: number, most: number]>;

const one: readonly [number, number] = [1, 1];
export const functions: Counts = new Map<string, readonly [number, number]>([
  ...['len', 'str', 'int', 'float', 'bool', 'abs', 'any', 'all'].map((name) => [name, one] as const),
  ...['min', 'max'].map((name) => [name, [1, 100]] as const),
]);
export const methods: Counts = new Map<string, readonly [number, number]>([
  ['get', [1, 2]],
  ...['lower', 'upper', 'strip'].map((name) => [name, [0, 0]] as const),
  ...['startswith', 'endswith'].map((name) => [name, one] as const),
]);

export function callMethod(name: string, of: unknown, [first, second = null]: readonly unknown[]): unknown {
  if (name === 'get') return got(of, first, second);
  if (typeof of !== 'string') throw new Incomparable(`${textOf(of).slice(0, 60)} is no text`);
  if (name === 'lower') return of.toLowerCase();
  if (name === 'upper') return of.toUpperCase();
  if (name === 'strip') return of.trim();
  if (typeof first !== 'string') throw new Incomparable(`${textOf(first).slice(0, 60)} is no text`);
  return name === 'startswith' ? of.startsWith(first) : of.endsWith(first);
}

function got(of: unknown, key: unknown, fallback: unknown): unknown {
  if (!isDict(of) || isDict(key) || Array.isArray(key)) throw new Incomparable(`${textOf(of).slice(0, 60)} has no such keys`);
  const found = typeof key === 'string' ? readKeys(of, [key]) : { found: false as const };
  return found.found ? found.value : fallback;
}

export function callFunction(name: string, args: readonly unknown[]): unknown {
  const [first] = args;
  if (name === 'str') return textOf(first);
  if (name === 'bool') return isTrue(first);
  if (name === 'len') return typeof first === 'string' ? lengthOf(first) : itemsOf(first).length;
  if (name === 'abs') return toNumber(Math.abs(numberOf(first)), isFloat(first));
  if (name === 'int' || name === 'float') return converted(name, first);
  if (name === 'any') return itemsOf(first).some(isTrue);
  if (name === 'all') return itemsOf(first).every(isTrue);
  return best(name === 'min' ? -1 : 1, args.length === 1 ? itemsOf(first) : args);
}

function best(sign: number, items: readonly unknown[]): unknown {
  if (items.length === 0) throw new Incomparable('nothing is the least or the most of nothing');
  return items.reduce((before, item) => {
    const which = order(item, before);
    if (which === undefined) throw new Incomparable(`${textOf(item).slice(0, 60)} has no place in an order`);
    return which * sign > 0 ? item : before;
  });
}

/** Of a text that is taken apart. */
const mostCharacters = 100_000;

function itemsOf(value: unknown): readonly unknown[] {
  if (typeof value === 'string' && value.length > mostCharacters) throw new Incomparable('the text has too many characters');
  if (typeof value === 'string') return [...value];
  if (Array.isArray(value)) return value;
  if (isDict(value)) return Object.keys(value);
  throw new Incomparable(`${textOf(value).slice(0, 60)} has no items`);
}

const written = {
  int: /^\s*[+-]?\d+\s*$/,
  float: /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/,
};

function converted(name: 'int' | 'float', value: unknown): number | Whole {
  if (typeof value === 'string' && !written[name].test(value))
    throw new Incomparable(`${JSON.stringify(value.slice(0, 60))} is no number`);
  const number = typeof value === 'string' ? Number(value) : numberOf(value);
  return name === 'int' ? toNumber(Math.trunc(number), false) : toNumber(number, true);
}
