// The value of an expression over the values of a run. Every step is bounded by the expression and the values it is given.
import { type Found, readKeys } from '../../engine/path.js';
import { callFunction, callMethod } from './pythonCalls.js';
import type { Expression } from './pythonExpression.js';
import { Incomparable, minus, reckon } from './pythonSums.js';
import { characterAt } from './pythonText.js';
import { areEqual, asNumber, isDict, isFloat, isIn, isTrue, order, textOf } from './pythonValue.js';

/** What it names is not there. */
export class Missing extends Error {}

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
      return memberOf(value(expression.of), value(expression.key), expression.dotted);
    case 'not':
      return !isTrue(value(expression.of));
    case 'minus':
      return minus(value(expression.of));
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

/** A key of a dict in brackets or after a dot; a place of a list or a text in brackets. */
function memberOf(of: unknown, key: unknown, dotted = false): unknown {
  const value = typeof of === 'string' || Array.isArray(of) ? itemAt(of, dotted ? undefined : key) : keyOf(of, key);
  if (value === undefined) throw new Missing(`there is no ${textOf(key).slice(0, 60)} in it`);
  return value;
}

function itemAt(row: string | readonly unknown[], key: unknown): unknown {
  const place = isFloat(key) ? undefined : asNumber(key);
  if (place === undefined) return undefined;
  return typeof row === 'string' ? characterAt(row, place) : row.at(place);
}

function keyOf(dict: unknown, key: unknown): unknown {
  const found = isDict(dict) && typeof key === 'string' ? readKeys(dict, [key]) : undefined;
  return found?.found ? found.value : undefined;
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
  // As Python does, first what it is asked of.
  if (!of) return callFunction(name, args.map(value));
  const asked = value(of);
  return callMethod(name, asked, args.map(value));
}
