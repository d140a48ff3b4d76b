// The value of an expression over the values of a run. Every step is bounded by the expression and the values it is given.
import { type Found, readKeys } from '../../graph/path.js';
import type { Expression } from './pythonExpression.js';
import { areEqual, asNumber, isIn, isTrue, order, textOf } from './pythonValue.js';

/** What it names is not there. */
export class Missing extends Error {}

/** Python would have raised an error. */
export class Incomparable extends Error {}

export type Lookup = (name: string) => Found;

export function evaluateExpression(expression: Expression, lookup: Lookup): unknown {
  const value = (inner: Expression): unknown => evaluateExpression(inner, lookup);
  switch (expression.is) {
    case 'value':
      return expression.value;
    case 'name':
      return named(expression.name, lookup);
    case 'list':
      return expression.items.map(value);
    case 'member':
      return memberOf(value(expression.of), value(expression.key));
    case 'not':
      return !isTrue(value(expression.of));
    case 'minus':
      return -numberOf(value(expression.of));
    case 'and':
    case 'or':
      return either(expression, value);
    case 'choice':
      return value(isTrue(value(expression.when)) ? expression.yes : expression.no);
    case 'sum':
      return reckon(expression.sign, value(expression.left), value(expression.right));
    case 'compare':
      return compareAll(expression, value);
    case 'call':
      return call(expression, value);
  }
}

// Each side is looked at once: twice at every level would be without end in a long chain.
function either({ is, left, right }: Extract<Expression, { is: 'and' | 'or' }>, value: (of: Expression) => unknown): unknown {
  const first = value(left);
  return isTrue(first) === (is === 'or') ? first : value(right);
}

function named(name: string, lookup: Lookup): unknown {
  const found = lookup(name);
  if (!found.found) throw new Missing(`there is no ${name}`);
  return found.value;
}

function memberOf(of: unknown, key: unknown): unknown {
  const text = Array.isArray(of) && typeof key === 'number' && key < 0 ? String(of.length + key) : String(key);
  const found = readKeys(of, [text]);
  if (!found.found) throw new Missing(`there is no ${JSON.stringify(key)} in it`);
  return found.value;
}

function numberOf(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw new Incomparable(`${textOf(value).slice(0, 60)} is no number`);
  return number;
}

// Texts can be joined, but not multiplied: what comes out is never much longer than what went in.
function reckon(sign: string, left: unknown, right: unknown): unknown {
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  if (b === 0) throw new Incomparable('it divides by zero');
  if (sign === '/') return a / b;
  return sign === '//' ? Math.floor(a / b) : a - b * Math.floor(a / b);
}

function compareAll({ first, rest }: Extract<Expression, { is: 'compare' }>, value: (of: Expression) => unknown): boolean {
  let left = value(first);
  for (const { sign, right } of rest) {
    const other = value(right);
    if (!compare(sign, left, other)) return false;
    left = other;
  }
  return true;
}

function compare(sign: string, left: unknown, right: unknown): boolean {
  if (sign === '==') return areEqual(left, right);
  if (sign === '!=') return !areEqual(left, right);
  // 1 equals True, but it is not True.
  if (sign === 'is') return typeof left === typeof right && areEqual(left, right);
  if (sign === 'is not') return typeof left !== typeof right || !areEqual(left, right);
  if (sign === 'in' || sign === 'not in') {
    const inside = isIn(left, right);
    if (inside === undefined) throw new Incomparable(`nothing can be in ${textOf(right).slice(0, 60)}`);
    return inside === (sign === 'in');
  }
  const which = order(left, right);
  if (which === undefined)
    throw new Incomparable(`${textOf(left).slice(0, 60)} ${sign} ${textOf(right).slice(0, 60)} has no answer`);
  if (sign === '<') return which < 0;
  if (sign === '>') return which > 0;
  return sign === '<=' ? which <= 0 : which >= 0;
}

function call({ name, of, args }: Extract<Expression, { is: 'call' }>, value: (of: Expression) => unknown): unknown {
  const given = args.map(value);
  return of ? onValue(name, value(of), given) : plainCall(name, given);
}

function onValue(name: string, of: unknown, [first, second]: readonly unknown[]): unknown {
  if (name === 'get') {
    const found = readKeys(of, [String(first)]);
    return found.found ? found.value : (second ?? null);
  }
  if (typeof of !== 'string') throw new Incomparable(`${textOf(of).slice(0, 60)} is no text`);
  if (name === 'lower') return of.toLowerCase();
  if (name === 'upper') return of.toUpperCase();
  if (name === 'strip') return of.trim();
  return name === 'startswith' ? of.startsWith(String(first)) : of.endsWith(String(first));
}

function plainCall(name: string, args: readonly unknown[]): unknown {
  const [first] = args;
  if (name === 'str') return textOf(first);
  if (name === 'bool') return isTrue(first);
  if (name === 'len') return lengthOf(first);
  if (name === 'abs') return Math.abs(numberOf(first));
  if (name === 'int' || name === 'float') return converted(name, first);
  const items = args.length === 1 && Array.isArray(first) ? first : args;
  if (name === 'any') return items.some(isTrue);
  if (name === 'all') return items.every(isTrue);
  const numbers = items.map(numberOf);
  if (numbers.length === 0) throw new Incomparable(`${name}() of nothing`);
  return numbers.reduce((best, number) => (name === 'min' ? Math.min(best, number) : Math.max(best, number)));
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new Incomparable(`${textOf(value)} has no length`);
}

function converted(name: string, value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : numberOf(value);
  if (!Number.isFinite(number)) throw new Incomparable(`${textOf(value).slice(0, 60)} is no number`);
  return name === 'int' ? Math.trunc(number) : number;
}
