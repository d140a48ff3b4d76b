// Sums as Python makes them. What comes out has a bound, whatever went in.
import { asFloat, asNumber, isFloat, textOf, type Whole } from './pythonValue.js';

/** Python would have raised an error, or given something that nobody keeps here. */
export class Incomparable extends Error {}

export function numberOf(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw new Incomparable(`${textOf(value).slice(0, 60)} is no number`);
  return number;
}

/** A float where Python has one; an int only as far as it is exact. */
export function toNumber(number: number, float: boolean): number | Whole {
  if (!Number.isFinite(number) || !(float || Number.isSafeInteger(number))) throw new Incomparable(`${number} is too large`);
  return float ? asFloat(number) : number + 0;
}

export function minus(value: unknown): number | Whole {
  const number = numberOf(value);
  return toNumber(isFloat(value) ? -number : 0 - number, isFloat(value));
}

export function reckon(sign: string, left: unknown, right: unknown): unknown {
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') return notTooLarge(left + right);
  if (sign === '+' && Array.isArray(left) && Array.isArray(right)) {
    notTooLarge([left, right]);
    return [...left, ...right];
  }
  const repeated = sign === '*' ? (repeat(left, right) ?? repeat(right, left)) : undefined;
  if (repeated !== undefined) return repeated;
  const [a, b] = [numberOf(left), numberOf(right)];
  const float = isFloat(left) || isFloat(right);
  if (sign === '+') return toNumber(a + b, float);
  if (sign === '-') return toNumber(a - b, float);
  if (sign === '*') return toNumber(a * b, float);
  if (b === 0) throw new Incomparable('it divides by zero');
  return sign === '/' ? toNumber(a / b, true) : toNumber(divided(a, b)[sign === '//' ? 'floor' : 'rest'], float);
}

/** In items of lists and dicts, with all that is inside of them; ten characters of a text weigh as much as one. */
const heaviest = 10_000;

/** A condition is decided while everything else waits: a short one must not make something huge. */
function notTooLarge<T>(value: T): T {
  if (weigh(value) > heaviest) throw tooLarge();
  return value;
}

/** Looks no further once it is too much. */
function weigh(value: unknown, before = 0): number {
  if (typeof value === 'string') return before + value.length / 10;
  if (typeof value !== 'object' || value === null) return before;
  const items = Object.values(value);
  let weight = before + items.length;
  for (const item of items) {
    if (weight > heaviest) break;
    weight = weigh(item, weight);
  }
  return weight;
}

function tooLarge(): Incomparable {
  return new Incomparable(`it makes more than ${heaviest} items or ${heaviest * 10} characters`);
}

/** Longer texts and lists are not made. */
const longest = 4_096;

function repeat(row: unknown, times: unknown): unknown {
  if (typeof row !== 'string' && !Array.isArray(row)) return undefined;
  const count = Math.max(0, isFloat(times) ? Number.NaN : numberOf(times));
  if (!(row.length * count <= longest)) throw new Incomparable('it cannot be repeated that often');
  if (weigh(row) * count > heaviest) throw tooLarge();
  if (typeof row === 'string') return row.repeat(row === '' ? 0 : count);
  return row.length === 0 ? [] : Array.from({ length: count }, () => row).flat();
}

// The rest is exact and the quotient is not: 1 // 0.1 is 9.
function divided(a: number, b: number): { floor: number; rest: number } {
  const rest = a % b;
  const isOff = rest !== 0 && rest < 0 !== b < 0;
  const quotient = (a - rest) / b - (isOff ? 1 : 0);
  // Python's zeros have the sign of what they come from.
  if (rest === 0) return { floor: Math.round(quotient), rest: b < 0 ? -0 : 0 };
  return { floor: quotient === 0 ? (a / b) * 0 : Math.round(quotient), rest: isOff ? rest + b : rest };
}
