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

describe('a path that leads nowhere', () => {
  test.each([...operators.keys()].filter((operator) => operator !== 'falsy'))('fails %s', (operator) => {
    const atomic = unaryOperators.has(operator) ? { operator, path: '$.gone' } : { operator, path: '$.gone', value: 1 };
    expect(holds(atomic)).toBe(false);
  });

  test('is falsy', () => {
    expect(holds({ operator: 'falsy', path: '$.gone' })).toBe(true);
  });

  test('spoils all, a branch of any, and none', () => {
    expect(holds({ all: [isYes, missing] })).toBe(false);
    expect(holds({ any: [isNo, missing] })).toBe(false);
    expect(holds({ none: [isNo, missing] })).toBe(false);
  });

  test('leaves the other branch of any alone', () => {
    expect(holds({ any: [missing, isYes] })).toBe(true);
    expect(holds({ none: [{ any: [missing, isYes] }] })).toBe(false);
  });

  test('spoils none at any depth, also twice negated', () => {
    expect(holds({ none: [{ all: [isNo, missing] }] })).toBe(false);
    expect(holds({ none: [{ any: [isNo, missing] }] })).toBe(false);
    expect(holds({ none: [{ none: [missing] }] })).toBe(false);
    expect(holds({ none: [{ none: [{ none: [missing] }] }] })).toBe(false);
  });

  test('is what none over exists asks for', () => {
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }] })).toBe(true);
    expect(holds({ none: [{ operator: 'exists', path: '$.nothing' }] })).toBe(false);
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }, missing] })).toBe(false);
    expect(holds({ none: [{ operator: 'exists', path: '$.gone' }, isYes] })).toBe(false);
  });

  test.each(['truthy', 'not_null'])('is not what none over %s asks for', (operator) => {
    expect(holds({ none: [{ operator, path: '$.gone' }] })).toBe(false);
  });

  test('is the same for a source that is not there, and for a path that is none', () => {
    expect(holds({ none: [{ source: 'nobody', operator: 'eq', value: 1 }] })).toBe(false);
    expect(holds({ none: [{ path: 'n', operator: 'eq', value: 1 }] })).toBe(false);
    expect(holds({ source: 'nobody', operator: 'falsy' })).toBe(true);
  });
});

describe('a value to compare with that is missing', () => {
  test.each([
    { operator: 'neq', path: '$.n' },
    { operator: 'neq', path: '$.n', param: 'unheard' },
  ])('fails %j and spoils none', (atomic) => {
    expect(holds(atomic)).toBe(false);
    expect(holds({ none: [atomic] })).toBe(false);
  });

  test('is not a null, a false or an undefined that was written', () => {
    expect(holds({ operator: 'eq', path: '$.nothing', value: null })).toBe(true);
    expect(holds({ operator: 'eq', path: '$.no', value: false })).toBe(true);
  });

  test('is not looked for by an operator that needs none', () => {
    expect(holds({ operator: 'truthy', path: '$.yes', param: 'unheard' })).toBe(true);
  });
});

describe('an operator nobody knows', () => {
  test('holds for nothing, and cannot hold by being negated', () => {
    expect(holds({ operator: 'is_nice', path: '$.n', value: 3 })).toBe(false);
    expect(holds({ none: [{ operator: 'is_nice', path: '$.n', value: 3 }] })).toBe(false);
  });
});

test('truthy is meant when no operator is named, and the whole value when no path is', () => {
  expect(holds({})).toBe(true);
  expect(holds(isNo)).toBe(false);
});

test('a source and a parameter are read where they are named', () => {
  expect(holds({ source: 'saved', operator: 'eq', path: '$.n', value: 4 })).toBe(true);
  expect(holds({ operator: 'eq', path: '$.n', param: 'three' })).toBe(true);
});

test('every comparison is kept in the order it is written, also after the answer is known', () => {
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

test('a comparison is told as a sentence', () => {
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

test('a long value is cut and its length told', () => {
  const sentence = describeComparison({ operator: 'truthy', path: '$', actual: 'x'.repeat(500) });
  expect(sentence.length).toBeLessThan(400);
  expect(sentence).toContain('(502 characters)');
});

function holds(assertion: Assertion): boolean {
  return evaluateAssertion(assertion, values).held;
}
