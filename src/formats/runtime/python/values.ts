// Python's semantics for JSON values: truth, conversion to strings, equality and order.
import { formatFloat } from './pythonJson.js';

/** A float without a fraction, which JavaScript cannot distinguish from an int. In Python 4 / 2 is 2.0 and cannot be an index. */
export class WholeFloat {
  constructor(readonly number: number) {}
}

export function toFloat(number: number): number | WholeFloat {
  return Number.isInteger(number) ? new WholeFloat(number) : number;
}

export function isFloat(value: unknown): boolean {
  return value instanceof WholeFloat || (typeof value === 'number' && !Number.isInteger(value));
}

export function isTruthy(value: unknown): boolean {
  if (value instanceof WholeFloat) return value.number !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Like Python's `str(value)`. */
export function pythonStr(value: unknown): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  const number = asNumber(value);
  if (number !== undefined) return isFloat(value) ? formatFloat(number) : String(number);
  const members = Object.entries(value as object).map(([key, item]) => `${quoteText(key)}: ${pythonRepr(item)}`);
  return `{${members.join(', ')}}`;
}

function quoteText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return text.includes("'") && !text.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`;
}

/** Compares like Python: True equals 1 and False equals 0. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined || right !== undefined) return left === right;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return (a ?? null) === (b ?? null);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(other, key) && areEqual(one[key], other[key]));
}

/** Returns a negative number when `a` is less. Returns undefined when Python cannot compare the values. */
export function compareValues(a: unknown, b: unknown): number | undefined {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  const differs = a.findIndex((item, index) => index >= b.length || !areEqual(item, b[index]));
  if (differs === -1) return a.length - b.length;
  return differs < b.length ? compareValues(a[differs], b[differs]) : 1;
}

/** Like Python's `item in container`. Returns undefined when Python would raise an error. */
export function isIn(item: unknown, container: unknown): boolean | undefined {
  if (Array.isArray(container)) return container.some((element) => areEqual(element, item));
  if (typeof container === 'string') return typeof item === 'string' ? container.includes(item) : undefined;
  if (!isDict(container) || isDict(item) || Array.isArray(item)) return undefined;
  return typeof item === 'string' && Object.hasOwn(container, item);
}

export function isDict(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WholeFloat);
}

export function asNumber(value: unknown): number | undefined {
  if (value instanceof WholeFloat) return value.number;
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

const surrogatePattern = /[\uD800-\uDFFF]/;

/** Like Python's `len(text)`: a surrogate pair is one character. */
export function countCharacters(text: string): number {
  if (!surrogatePattern.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Like Python's `text[index]`: a negative index counts from the end. */
export function characterAt(text: string, index: number): string | undefined {
  if (!surrogatePattern.test(text)) return text.at(index);
  let remaining = index < 0 ? index + countCharacters(text) : index;
  if (remaining < 0) return undefined;
  for (const character of text) if (remaining-- === 0) return character;
  return undefined;
}
