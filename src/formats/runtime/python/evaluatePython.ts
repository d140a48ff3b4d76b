// Evaluates a Python expression with the values of a run. Time and memory are bounded by the sizes of both.
import { type PathResult, readKeys } from '../../../engine/jsonPath.js';
import { calculate, callFunction, callMethod, EvaluationError, negate } from './operations.js';
import type { PythonExpression } from './parsePython.js';
import { areEqual, asNumber, characterAt, compareValues, isDict, isFloat, isIn, isTruthy, pythonStr } from './values.js';

/** A name, key or index does not exist. */
export class MissingValue extends Error {}

type NameLookup = (name: string) => PathResult;

export function evaluatePython(expression: PythonExpression, lookup: NameLookup): unknown {
  const evaluate = (inner: PythonExpression): unknown => evaluatePython(inner, lookup);
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return lookUpName(expression.name, lookup);
    case 'list':
      return expression.items.map(evaluate);
    case 'member':
      return readMember(evaluate(expression.of), evaluate(expression.key), expression.dotted);
    case 'not':
      return !isTruthy(evaluate(expression.of));
    case 'minus':
      return negate(evaluate(expression.of));
    case 'and':
    case 'or':
      return evaluateEither(expression, evaluate);
    case 'choice':
      return evaluate(isTruthy(evaluate(expression.when)) ? expression.yes : expression.no);
    case 'sum':
      return calculate(expression.sign, evaluate(expression.left), evaluate(expression.right));
    case 'compare':
      return compareAll(expression, evaluate);
    case 'call':
      return evaluateCall(expression, evaluate);
  }
}

// Evaluates each side only once: twice at every level would take exponential time in a long chain.
function evaluateEither(
  { kind, left, right }: Extract<PythonExpression, { kind: 'and' | 'or' }>,
  evaluate: (inner: PythonExpression) => unknown,
): unknown {
  const first = evaluate(left);
  return isTruthy(first) === (kind === 'or') ? first : evaluate(right);
}

function lookUpName(name: string, lookup: NameLookup): unknown {
  const result = lookup(name);
  if (!result.found) throw new MissingValue(`there is no ${name}`);
  return result.value;
}

/** Reads a key of a dict, in brackets or after a dot, or an index of a list or string, in brackets. */
function readMember(of: unknown, key: unknown, dotted = false): unknown {
  const value = typeof of === 'string' || Array.isArray(of) ? readItem(of, dotted ? undefined : key) : readKey(of, key);
  if (value === undefined) throw new MissingValue(`there is no item ${pythonStr(key).slice(0, 60)}`);
  return value;
}

function readItem(sequence: string | readonly unknown[], key: unknown): unknown {
  const index = isFloat(key) ? undefined : asNumber(key);
  if (index === undefined) return undefined;
  return typeof sequence === 'string' ? characterAt(sequence, index) : sequence.at(index);
}

function readKey(dict: unknown, key: unknown): unknown {
  const result = isDict(dict) && typeof key === 'string' ? readKeys(dict, [key]) : undefined;
  return result?.found ? result.value : undefined;
}

function compareAll(
  { first, rest }: Extract<PythonExpression, { kind: 'compare' }>,
  evaluate: (inner: PythonExpression) => unknown,
): boolean {
  let left = evaluate(first);
  for (const { sign, right } of rest) {
    const rightValue = evaluate(right);
    if (!compare(sign, left, rightValue)) return false;
    left = rightValue;
  }
  return true;
}

function compare(sign: string, left: unknown, right: unknown): boolean {
  if (sign === '==') return areEqual(left, right);
  if (sign === '!=') return !areEqual(left, right);
  // In Python 1 == True, but 1 is not True.
  if (sign === 'is') return typeof left === typeof right && areEqual(left, right);
  if (sign === 'is not') return typeof left !== typeof right || !areEqual(left, right);
  if (sign === 'in' || sign === 'not in') {
    const contains = isIn(left, right);
    if (contains === undefined) throw new EvaluationError(`${pythonStr(right).slice(0, 60)} cannot contain anything`);
    return contains === (sign === 'in');
  }
  const order = compareValues(left, right);
  if (order === undefined)
    throw new EvaluationError(`${pythonStr(left).slice(0, 60)} ${sign} ${pythonStr(right).slice(0, 60)} cannot be compared`);
  if (sign === '<') return order < 0;
  if (sign === '>') return order > 0;
  return sign === '<=' ? order <= 0 : order >= 0;
}

function evaluateCall(
  { name, of, args }: Extract<PythonExpression, { kind: 'call' }>,
  evaluate: (inner: PythonExpression) => unknown,
): unknown {
  if (!of) return callFunction(name, args.map(evaluate));
  // Evaluates the receiver before the arguments, as in Python.
  const receiver = evaluate(of);
  return callMethod(name, receiver, args.map(evaluate));
}
