import { describe, expect, test } from 'vitest';
import { operators } from '../../../src/engine/operators.js';
import { describeAssertion } from '../../../src/pages/describeAssertion.js';
import type { Assertion } from '../../../src/recipe/recipe.js';

describe('describeAssertion', () => {
  test.for<[Assertion, string]>([
    [{ source: 'build', path: '$.exitCode', operator: 'eq', value: 0 }, 'build exitCode is 0'],
    [{ path: '$.items', operator: 'length_gte', value: 2 }, 'items has a length of at least 2'],
    [{ path: '$', operator: 'truthy' }, 'it is set'],
    [{ source: 'inputs' }, 'inputs is set'],
    [{ source: 'a', path: '$.b', operator: 'eq', param: 'total' }, 'a b is {total}'],
    [{ path: '$.a', operator: 'neq', value: null }, 'a is not null'],
    [{ path: '$.a', operator: 'shop.is_open' }, 'a shop.is open'],
    [{ path: '$.a', operator: 'constructor' }, 'a constructor'],
    [
      {
        none: [
          { path: '$.a', operator: 'exists' },
          { path: '$.b', operator: 'exists' },
        ],
      },
      'none of (a is present; b is present)',
    ],
  ])('the assertion %j is described as "%s"', ([assertion, phrase]) => {
    expect(describeAssertion(assertion)).toBe(phrase);
  });

  test('a described assertion has parentheses where "and" and "or" are mixed', () => {
    const is = (path: string): Assertion => ({ path: `$.${path}`, operator: 'truthy' });
    expect(describeAssertion({ any: [{ all: [is('a'), is('b')] }, { all: [is('c')] }] })).toBe(
      '(a is set and b is set) or c is set',
    );
    expect(describeAssertion({ all: [{ any: [is('a'), is('b')] }, is('c')] })).toBe('(a is set or b is set) and c is set');
  });

  test.for([...operators.keys()])('the operator %s has a description', (operator) => {
    expect(describeAssertion({ path: '$.a', operator, value: 1 })).not.toContain(operator.includes('_') ? operator : '\u0000');
    expect(describeAssertion({ path: '$.a', operator, value: 1 })).toMatch(/^a (is|has|does|matches)\b/);
  });

  test('a long value is cut in a described assertion', () => {
    expect(describeAssertion({ path: '$.a', operator: 'eq', value: 'x'.repeat(500) }).length).toBeLessThan(100);
  });
});
