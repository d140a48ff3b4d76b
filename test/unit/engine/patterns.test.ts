import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { evaluateAssertion } from '../../../src/engine/evaluateAssertion.js';
import { maxSubjectLength } from '../../../src/engine/limits.js';
import { findsPattern, HeavyPattern, isLight, UndecidedError, weightOf, withAnswers } from '../../../src/engine/patterns.js';
import { cpuMs } from '../../support/cpuMs.js';

const long = 'ab'.repeat(100_000);

describe('the weight of a pattern', () => {
  test.for([
    ['a', 1],
    ['ab+', 3],
    ['(ab)', 4],
    ['a{10}', 10],
    ['a{0,10}', 20],
    ['(a{1,10}){1,10}', 440],
    ['[a-z]{3}', 15],
    ['\\d{4}-\\d{2}', 7],
    ['\\pL{10}', 610],
    ['[\\p{Greek}a]', 72],
    ['a{,3}', 5],
    ['((a', 5],
    ['a))', 3],
    ['[]{1000}', 2_000],
    ['', 0],
  ] as const)('the weight of the pattern %s is %i', ([pattern, weight]) => {
    expect(weightOf(pattern)).toBe(weight);
  });

  test('the estimated weight of a pattern is not much less than its compiled size', () => {
    const atoms = ['a', '.', '[ab]', '\\w', '\\pL', '(a|b)', '(a(b|c)?)', '[[:alpha:]]', '(?i:k)', '\\Qa{9}\\E'];
    const repeats = ['', '*', '+?', '?', '{2}', '{1,10}', '{0,50}', '{100}', '{1,300}', '{2,}'];
    for (const atom of atoms) {
      for (const repeat of repeats) {
        const pattern = `x(${atom}${repeat}|${atom})${repeat.length > 3 ? '' : '{3}'}y`;
        const size = RE2JS.compile(pattern).programSize();
        expect([pattern, size <= weightOf(pattern) * 1.5 + 10]).toEqual([pattern, true]);
      }
    }
  });
});

test('every light pattern is matched within 50 ms', () => {
  for (const pattern of ['a.{400}[xy]', '(a|b)*a(a|b){14}[cd]$', '\\pL{16}$', '[ab]*a[ab]{80}[xy]$', '(a{1,10}){1,20}[xy]']) {
    const most = Array.from({ length: 17 }, (_, power) => 2 ** power).findLast((length) => isLight(pattern, length)) ?? 0;
    expect([pattern, most > 0]).toEqual([pattern, true]);
    const ms = cpuMs(() => void RE2JS.compile(pattern).test(long.slice(0, most)));
    expect([pattern, ms < 50]).toEqual([pattern, true]);
  }
});

describe('a heavy pattern', () => {
  const slow = '(a|b)+[cd]';

  test('a heavy pattern is matched directly outside withAnswers()', () => {
    expect(findsPattern(slow, `${long}c`)).toBe(true);
    expect(findsPattern(slow, long)).toBe(false);
  });

  test('HeavyPattern is thrown inside withAnswers() until the pattern has an answer', () => {
    expect(() => withAnswers(new Map(), () => findsPattern(slow, long))).toThrow(HeavyPattern);
    for (const held of [true, false]) {
      const answers = new Map([[slow, new Map([[long, { held }]])]]);
      expect(withAnswers(answers, () => findsPattern(slow, long))).toBe(held);
    }
    const answers = new Map([[slow, new Map([[long, { problem: 'too slow' }]])]]);
    expect(() => withAnswers(answers, () => findsPattern(slow, long))).toThrow(new UndecidedError('too slow'));
  });

  test('the answer of a heavy pattern is used only for its own string and one evaluation', () => {
    const answers = new Map([[slow, new Map([[long, { held: true }]])]]);
    expect(() => withAnswers(answers, () => findsPattern(slow, `${long}x`))).toThrow(HeavyPattern);
    expect(findsPattern(slow, long)).toBe(false);
  });
});

test('a fixed string is searched in a string of any length, a pattern only up to the limit', () => {
  const huge = `${'a'.repeat(maxSubjectLength)}b`;
  expect([findsPattern('ab', huge), findsPattern('abc', huge)]).toEqual([true, false]);
  expect(() => findsPattern('ab$', huge)).toThrow(UndecidedError);
  expect(findsPattern('ab$', huge.slice(1))).toBe(true);
});

describe('an undecided comparison', () => {
  const values = {
    find: () => ({ found: true, value: 'a'.repeat(maxSubjectLength + 1) }) as const,
    param: () => ({ found: false }) as const,
  };
  const undecided = { operator: 'matches', value: 'a$' };
  const yes = { operator: 'exists' };
  const no = { operator: 'falsy' };

  test.for([
    [undecided, false, true],
    [{ none: [undecided] }, false, true],
    [{ any: [undecided, no] }, false, true],
    [{ any: [undecided, yes] }, true, false],
    [{ all: [undecided, yes] }, false, true],
    [{ none: [{ any: [undecided, no] }] }, false, true],
    [{ none: [{ any: [undecided, yes] }] }, false, false],
  ] as const)('with an undecided comparison, %j holds: %s, is undecided: %s', ([assertion, held, isUndecided]) => {
    const result = evaluateAssertion(assertion as never, values);
    expect([result.held, result.problem !== undefined]).toEqual([held, isUndecided]);
  });
});
