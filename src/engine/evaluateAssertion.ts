// Assertions and predicates: one grammar for assert, when, unless, switch cases, edges and postconditions.
import type { Assertion, Atomic } from '../recipe/recipe.js';
import { type PathResult, parsePath } from './jsonPath.js';
import { type CustomOperator, operators, unaryOperators } from './operators.js';
import { UndecidedError } from './patterns.js';

/** Where the values come from. Without a source, `find()` reads what the place of the assertion reads by itself. */
export type AssertionValues = {
  find(source: string | undefined, keys: readonly string[]): PathResult;
  param(name: string): PathResult;
  /** Operators beside the official ones. */
  operators?: ReadonlyMap<string, CustomOperator> | undefined;
};

/** One atomic comparison as it was made. */
export type Comparison = {
  operator: string;
  path: string;
  source?: string | undefined;
  expected?: unknown;
  actual?: unknown;
  missing?: true | undefined;
  /** Why it could not be made. */
  problem?: string | undefined;
  held: boolean;
};

/** `problem`: what keeps it from being decided, so that whoever branches by it must not go either way. */
export type Evaluation = { held: boolean; comparisons: Comparison[]; problem?: string };

export function evaluateAssertion(assertion: Assertion, values: AssertionValues): Evaluation {
  const comparisons: Comparison[] = [];
  const { held, spoilt } = evaluatePart(assertion, values, comparisons);
  const undecided = spoilt ? comparisons.find(({ problem }) => problem !== undefined) : undefined;
  return undecided ? { held, comparisons, problem: describeComparison(undecided) } : { held, comparisons };
}

// A missing value is no answer: it spoils what it stands in, so that `none` cannot hold because nothing was there.
type PartResult = { held: boolean; spoilt: boolean };

function evaluatePart(assertion: Assertion, values: AssertionValues, into: Comparison[]): PartResult {
  if ('all' in assertion) {
    const parts = assertion.all.map((part) => evaluatePart(part, values, into));
    return { held: parts.every((part) => part.held), spoilt: parts.some((part) => part.spoilt) };
  }
  if ('any' in assertion) {
    const parts = assertion.any.map((part) => evaluatePart(part, values, into));
    const held = parts.some((part) => part.held);
    return { held, spoilt: !held && parts.some((part) => part.spoilt) };
  }
  if ('none' in assertion) {
    const parts = assertion.none.map((part) => evaluatePart(part, values, into));
    const spoilt = parts.some((part) => part.spoilt);
    return { held: !spoilt && parts.every((part) => !part.held), spoilt };
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
  const compared = known !== undefined && (expected.found || known.unary === true);
  if (actual.found && compared) applyOperator(comparison, known);
  if (!actual.found) comparison.held = operator === 'falsy';
  const absent = !actual.found && operator !== 'falsy' && operator !== 'exists';
  return { held: comparison.held, spoilt: absent || !compared || comparison.problem !== undefined };
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

/** The sentence a failing comparison prints. */
export function describeComparison(made: Omit<Comparison, 'held'>): string {
  const { operator, path, source, expected, actual, missing, problem } = made;
  const subject = `${source ?? 'output'} ${path}`;
  if (problem !== undefined) return `${subject}: ${problem}`;
  const expectation =
    unaryOperators.has(operator) || (expected === undefined && operator.includes('.'))
      ? operator
      : `${operator} ${printValue(expected)}`;
  return missing
    ? `${subject} is missing; expected ${expectation}.`
    : `${subject} expected ${expectation}, received ${printValue(actual)}.`;
}

function printValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
