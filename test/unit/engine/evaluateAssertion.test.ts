import { describe, expect, test } from 'vitest';
import { type AssertionValues, describeComparison, evaluateAssertion } from '../../../src/engine/evaluateAssertion.js';
import { readKeys } from '../../../src/engine/jsonPath.js';
import { operators, unaryOperators } from '../../../src/engine/operators.js';
import type { Assertion } from '../../../src/recipe/recipe.js';

const output = { yes: true, no: false, n: 3, nothing: null, list: [1, 2], word: 'abc' };

const values: AssertionValues = {
  find: (source, keys) => (source === undefined ? readKeys(output, keys) : readKeys({ saved: { n: 4 } }, [source, ...keys])),
  param: (name) => readKeys({ three: 3 }, [name]),
};

const missing = { operator: 'eq', path: '$.gone', value: 1 };
const isNo = { path: '$.no' };
const isYes = { path: '$.yes' };

describe('a missing value', () => {
  test.each([...operators.keys()].filter((operator) => operator !== 'falsy'))(
    'a missing value fails the operator %s',
    (operator) => {
      const atomic = unaryOperators.has(operator) ? { operator, path: '$.gone' } : { operator, path: '$.gone', value: 1 };
      expect(holds(atomic)).toBe(false);
    },
  );

  test('a missing value is falsy', () => {
    expect(holds({ operator: 'falsy', path: '$.gone' })).toBe(true);
  });

  test('a missing value fails "all", "none", and its own branch of "any"', () => {
    expect(holds({ all: [isYes, missing] })).toBe(false);
    expect(holds({ any: [isNo, missing] })).toBe(false);
    expect(holds({ none: [isNo, missing] })).toBe(false);
  });

  test('a missing value in one branch of "any" does not affect the other branches', () => {
    expect(holds({ any: [missing, isYes] })).toBe(true);
    expect(holds({ none: [{ any: [missing, isYes] }] })).toBe(false);
  });

  test('a missing value fails "none" at any depth, even in a double negation', () => {
    expect(holds({ none: [{ all: [isNo, missing] }] })).toBe(false);
    expect(holds({ none: [{ any: [isNo, missing] }] })).toBe(false);
    expect(holds({ none: [{ none: [missing] }] })).toBe(false);
    expect(holds({ none: [{ none: [{ none: [missing] }] }] })).toBe(false);
  });

  test('"none" over "exists" holds for a missing value', () => {
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }] })).toBe(true);
    expect(holds({ none: [{ operator: 'exists', path: '$.nothing' }] })).toBe(false);
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }, missing] })).toBe(false);
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }, isYes] })).toBe(false);
  });

  test.each(['truthy', 'not_null'])('"none" over "%s" does not hold for a missing value', (operator) => {
    expect(holds({ none: [{ operator, path: '$.gone' }] })).toBe(false);
  });

  test('a missing source and an invalid path count as missing values', () => {
    expect(holds({ none: [{ source: 'nobody', operator: 'eq', value: 1 }] })).toBe(false);
    expect(holds({ none: [{ path: 'n', operator: 'eq', value: 1 }] })).toBe(false);
    expect(holds({ source: 'nobody', operator: 'falsy' })).toBe(true);
  });
});

describe('a missing expected value', () => {
  test.each([
    { operator: 'neq', path: '$.n' },
    { operator: 'neq', path: '$.n', param: 'missing' },
  ])('a missing expected value fails the assertion %j, and "none" around it', (atomic) => {
    expect(holds(atomic)).toBe(false);
    expect(holds({ none: [atomic] })).toBe(false);
  });

  test('null and false are expected values', () => {
    expect(holds({ operator: 'eq', path: '$.nothing', value: null })).toBe(true);
    expect(holds({ operator: 'eq', path: '$.no', value: false })).toBe(true);
  });

  test('a unary operator needs no expected value', () => {
    expect(holds({ operator: 'truthy', path: '$.yes', param: 'missing' })).toBe(true);
  });
});

describe('an unknown operator', () => {
  test('an unknown operator never holds, and neither does its negation', () => {
    expect(holds({ operator: 'is_nice', path: '$.n', value: 3 })).toBe(false);
    expect(holds({ none: [{ operator: 'is_nice', path: '$.n', value: 3 }] })).toBe(false);
  });
});

test('the default operator is "truthy", and the default path is the whole value', () => {
  expect(holds({})).toBe(true);
  expect(holds(isNo)).toBe(false);
});

test('a comparison reads the source and the parameter that it names', () => {
  expect(holds({ source: 'saved', operator: 'eq', path: '$.n', value: 4 })).toBe(true);
  expect(holds({ operator: 'eq', path: '$.n', param: 'three' })).toBe(true);
});

test('every comparison is recorded in written order, even after the result is known', () => {
  const { held, comparisons } = evaluateAssertion(
    { any: [isYes, missing, { source: 'saved', operator: 'exists', path: '$.n' }] },
    values,
  );
  expect(held).toBe(true);
  expect(comparisons).toEqual([
    { operator: 'truthy', path: '$.yes', actual: true, held: true },
    { operator: 'eq', path: '$.gone', expected: 1, missing: true, held: false },
    { operator: 'exists', path: '$.n', source: 'saved', actual: 4, held: true },
  ]);
});

test('a comparison is described in a sentence', () => {
  const sentences = evaluateAssertion(
    { all: [missing, { operator: 'gt', path: '$.n', value: 5 }, { path: '$.no' }] },
    values,
  ).comparisons.map(describeComparison);
  expect(sentences).toEqual([
    'output $.gone is missing; expected eq 1.',
    'output $.n expected gt 5, received 3.',
    'output $.no expected truthy, received false.',
  ]);
});

test('a long value is shortened, with its length', () => {
  const sentence = describeComparison({ operator: 'truthy', path: '$', actual: 'x'.repeat(500) });
  expect(sentence.length).toBeLessThan(400);
  expect(sentence).toContain('(502 characters)');
});

function holds(assertion: Assertion): boolean {
  return evaluateAssertion(assertion, values).held;
}
