// Evaluates assertions and predicates: `assert`, `when`, `unless`, switch cases, edges and postconditions share one grammar.

import type { Assertion, Atomic } from '../recipe/recipe.js';
import { type PathResult, parsePath } from './jsonPath.js';
import { type CustomOperator, operators, unaryOperators } from './operators.js';
import { UndecidedError } from './patterns.js';

/** Looks up the values of an assertion. Without a source, `find()` reads the default source, which depends on the kind of assertion. */
export type AssertionValues = {
  find(source: string | undefined, keys: readonly string[]): PathResult;
  param(name: string): PathResult;
  /** The operators of the project. */
  operators?: ReadonlyMap<string, CustomOperator> | undefined;
};

/** One atomic comparison, with the values it compared. */
export type Comparison = {
  operator: string;
  path: string;
  source?: string | undefined;
  expected?: unknown;
  actual?: unknown;
  missing?: true | undefined;
  /** The reason why the values could not be compared. */
  problem?: string | undefined;
  held: boolean;
};

/** `problem`: why the assertion cannot be decided. A caller that uses the assertion as a condition must then take neither branch. */
export type Evaluation = { held: boolean; comparisons: Comparison[]; problem?: string };

export function evaluateAssertion(assertion: Assertion, values: AssertionValues): Evaluation {
  const comparisons: Comparison[] = [];
  const { held, isUndecided } = evaluatePart(assertion, values, comparisons);
  const undecided = isUndecided ? comparisons.find(({ problem }) => problem !== undefined) : undefined;
  return undecided ? { held, comparisons, problem: describeComparison(undecided) } : { held, comparisons };
}

// A missing value makes its assertion undecided. Otherwise `none` would hold because a value is missing.
type PartResult = { held: boolean; isUndecided: boolean };

function evaluatePart(assertion: Assertion, values: AssertionValues, into: Comparison[]): PartResult {
  if ('all' in assertion) {
    const parts = assertion.all.map((part) => evaluatePart(part, values, into));
    return { held: parts.every((part) => part.held), isUndecided: parts.some((part) => part.isUndecided) };
  }
  if ('any' in assertion) {
    const parts = assertion.any.map((part) => evaluatePart(part, values, into));
    const held = parts.some((part) => part.held);
    return { held, isUndecided: !held && parts.some((part) => part.isUndecided) };
  }
  if ('none' in assertion) {
    const parts = assertion.none.map((part) => evaluatePart(part, values, into));
    const isUndecided = parts.some((part) => part.isUndecided);
    return { held: !isUndecided && parts.every((part) => !part.held), isUndecided };
  }
  return compare(assertion, values, into);
}

function compare(atomic: Atomic, values: AssertionValues, into: Comparison[]): PartResult {
  const { operator = 'truthy', path = '$', source } = atomic;
  const keys = parsePath(path);
  const actual: PathResult = keys ? values.find(source, keys) : { found: false };
  const known = findOperator(operator, values);
  const expected = known?.unary ? notFound : expectedOf(atomic, values);
  const comparison: Comparison = { operator, path, held: false };
  if (source !== undefined) comparison.source = source;
  if (expected.found) comparison.expected = expected.value;
  if (actual.found) comparison.actual = actual.value;
  else comparison.missing = true;
  into.push(comparison);
  const isComparable = known !== undefined && (expected.found || known.unary === true);
  if (actual.found && isComparable) applyOperator(comparison, known);
  if (!actual.found) comparison.held = operator === 'falsy';
  const isMissing = !actual.found && operator !== 'falsy' && operator !== 'exists';
  return { held: comparison.held, isUndecided: isMissing || !isComparable || comparison.problem !== undefined };
}

function applyOperator(comparison: Comparison, { holds }: CustomOperator): void {
  try {
    comparison.held = holds(comparison.actual, comparison.expected) === true;
  } catch (thrown) {
    if (!(thrown instanceof UndecidedError)) throw thrown;
    comparison.problem = thrown.message;
  }
}

const notFound: PathResult = { found: false };

function findOperator(name: string, { operators: custom }: AssertionValues): CustomOperator | undefined {
  const holds = operators.get(name);
  return holds ? { holds, unary: unaryOperators.has(name) } : custom?.get(name);
}

function expectedOf(atomic: Atomic, values: AssertionValues): PathResult {
  if (atomic.param !== undefined) return values.param(atomic.param);
  return Object.hasOwn(atomic, 'value') ? { found: true, value: atomic.value } : notFound;
}

/** Describes a failed comparison in one sentence. */
export function describeComparison(comparison: Omit<Comparison, 'held'>): string {
  const { operator, path, source, expected, actual, missing, problem } = comparison;
  const subject = `${source ?? 'output'} ${path}`;
  if (problem !== undefined) return `${subject}: ${problem}`;
  // An operator of a project has a dot in its name. It may need no expected value.
  const isUnary = unaryOperators.has(operator) || (expected === undefined && operator.includes('.'));
  const expectation = isUnary ? operator : `${operator} ${printValue(expected)}`;
  return missing
    ? `${subject} is missing; expected ${expectation}.`
    : `${subject} expected ${expectation}, received ${printValue(actual)}.`;
}

function printValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
