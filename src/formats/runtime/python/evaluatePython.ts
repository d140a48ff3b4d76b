// The value of an expression over the values of a run. Every step is bounded by the expression and the values it is given.
import { type PathResult, readKeys } from '../../../engine/jsonPath.js';
import { calculate, callFunction, callMethod, EvaluationError, negate } from './operations.js';
import type { PythonExpression } from './parsePython.js';
import { areEqual, asNumber, characterAt, compareValues, isDict, isFloat, isIn, isTruthy, pythonStr } from './values.js';

/** What it names is not there. */
export class MissingValue extends Error {}

type NameLookup = (name: string) => PathResult;

export function evaluatePython(expression: PythonExpression, lookup: NameLookup): unknown {
  const value = (inner: PythonExpression): unknown => evaluatePython(inner, lookup);
  switch (expression.is) {
    case 'value':
      return expression.value;
    case 'name':
      return lookUpName(expression.name, lookup);
    case 'list':
      return expression.items.map(value);
    case 'member':
      return readMember(value(expression.of), value(expression.key), expression.dotted);
    case 'not':
      return !isTruthy(value(expression.of));
    case 'minus':
      return negate(value(expression.of));
    case 'and':
    case 'or':
      return evaluateEither(expression, value);
    case 'choice':
      return value(isTruthy(value(expression.when)) ? expression.yes : expression.no);
    case 'sum':
      return calculate(expression.sign, value(expression.left), value(expression.right));
    case 'compare':
      return compareAll(expression, value);
    case 'call':
      return evaluateCall(expression, value);
  }
}

// Each side is looked at once: twice at every level would be without end in a long chain.
function evaluateEither(
  { is, left, right }: Extract<PythonExpression, { is: 'and' | 'or' }>,
  value: (of: PythonExpression) => unknown,
): unknown {
  const first = value(left);
  return isTruthy(first) === (is === 'or') ? first : value(right);
}

function lookUpName(name: string, lookup: NameLookup): unknown {
  const found = lookup(name);
  if (!found.found) throw new MissingValue(`there is no ${name}`);
  return found.value;
}

/** A key of a dict in brackets or after a dot; a place of a list or a text in brackets. */
function readMember(of: unknown, key: unknown, dotted = false): unknown {
  const value = typeof of === 'string' || Array.isArray(of) ? readItem(of, dotted ? undefined : key) : readKey(of, key);
  if (value === undefined) throw new MissingValue(`there is no ${pythonStr(key).slice(0, 60)} in it`);
  return value;
}

function readItem(row: string | readonly unknown[], key: unknown): unknown {
  const index = isFloat(key) ? undefined : asNumber(key);
  if (index === undefined) return undefined;
  return typeof row === 'string' ? characterAt(row, index) : row.at(index);
}

function readKey(dict: unknown, key: unknown): unknown {
  const found = isDict(dict) && typeof key === 'string' ? readKeys(dict, [key]) : undefined;
  return found?.found ? found.value : undefined;
}

function compareAll(
  { first, rest }: Extract<PythonExpression, { is: 'compare' }>,
  value: (of: PythonExpression) => unknown,
): boolean {
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
    if (inside === undefined) throw new EvaluationError(`nothing can be in ${pythonStr(right).slice(0, 60)}`);
    return inside === (sign === 'in');
  }
  const which = compareValues(left, right);
  if (which === undefined)
    throw new EvaluationError(`${pythonStr(left).slice(0, 60)} ${sign} ${pythonStr(right).slice(0, 60)} has no answer`);
  if (sign === '<') return which < 0;
  if (sign === '>') return which > 0;
  return sign === '<=' ? which <= 0 : which >= 0;
}

function evaluateCall(
  { name, of, args }: Extract<PythonExpression, { is: 'call' }>,
  value: (of: PythonExpression) => unknown,
): unknown {
  // As Python does, first what it is asked of.
  if (!of) return callFunction(name, args.map(value));
  const receiver = value(of);
  return callMethod(name, receiver, args.map(value));
}
