// F11: every pattern is evaluated or abandoned within its time limit, and does not block the main thread.
// RECIPEWRIGHT_ALL=1 tries strings of every length. By default, the test tries only some of the lengths.
import { describe, expect, test } from 'vitest';
import { evaluateWithPatternThread } from '../../src/actions/evaluateWithPatternThread.js';
import { type Evaluation, evaluateAssertion } from '../../src/engine/evaluateAssertion.js';
import { mainThreadMs } from '../support/mainThreadMs.js';
import { recipeOf } from '../support/plain.js';
import { randomText } from '../support/randomText.js';
import { runExtended } from '../support/runExtended.js';

const evil: readonly string[] = [
  ...['(a+)+$', '([a-zA-Z]+)*$', '(a|aa)+$', '(a|a?)+$', '(.*a){20}$', '^(a+)+$', '^(a|a)*$', '(a*)*b', '(?:a+){10}b', '(a+)+b'],
  ...['^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '(\\w+\\s?)*$', '^(\\w+)*\\d$', '((a+)*)*c', '(a{1,10}){1,10}!', '(aa|a)*c'],
  ...['(.+)+x', '^(?:.*,){11}P', '(a?){30}a{30}c'],
];

/** Patterns that take seconds even in a linear-time matcher, because of many states for each character or a very long program. */
const worse: readonly string[] = [
  ...['a.{1000}[xy]', '(a.{0,1000}b)[xy]', '[ab]*a[ab]{100}[xy]$', '(a|b)*a(a|b){14}[cd]$', '(a|b)*a(a|b){200}[cd]$'],
  ...['a{1000}'.repeat(1_000), '\\pL{1000}'.repeat(100), '(?i)[\\pL\\pN]{1,1000}[xy]$', `(${'(a|b)?'.repeat(500)}){2}[xy]$`],
  ...['(.{1,30}a.{1,30}b){1,30}[xy]'],
];

const isFull = process.env.RECIPEWRIGHT_ALL !== undefined;

const matching = (value: string, subject: string) => () =>
  evaluateAssertion(
    { operator: 'matches', value },
    { find: () => ({ found: true, value: subject }) as const, param: () => ({ found: false }) as const },
  );

type Measured = Evaluation & { blockedMs: number };

/** Measures how long the evaluation blocks the main thread. The pattern thread is started before. */
async function measure(pattern: string, subject: string): Promise<Measured> {
  await evaluateWithPatternThread(matching('(a|b)+c', 'ab'.repeat(100_000)));
  const before = mainThreadMs();
  const evaluation = await evaluateWithPatternThread(matching(pattern, subject));
  return { ...evaluation, blockedMs: mainThreadMs() - before };
}

/** Measures up to three times, because garbage collection may add time to one measurement. */
async function measureBest(pattern: string, subject: string): Promise<Measured> {
  let best = await measure(pattern, subject);
  for (let repeat = 0; repeat < 2 && best.blockedMs > 50; repeat++) best = await measure(pattern, subject);
  return best;
}

describe('F11 twenty evil patterns', () => {
  test.for(isFull ? [30, 2_000, 30_000, 300_000, 1_000_000] : [30, 30_000, 1_000_000])(
    'twenty evil patterns over %i characters are evaluated in time, and each blocks the main thread for at most 50 ms',
    async (length) => {
      expect(new Set(evil).size).toBe(20);
      for (const pattern of evil) {
        const result = await measureBest(pattern, `${'a'.repeat(length)}!`);
        // The result is the same for twelve characters, which the regular expressions of JavaScript can match in time.
        const expected = new RegExp(pattern).test(`${'a'.repeat(12)}!`);
        expect([pattern, result.held, result.problem, result.blockedMs <= 50]).toEqual([pattern, expected, undefined, true]);
      }
    },
  );
});

describe('F11 patterns that take seconds even in linear time', () => {
  test.for(isFull ? [2_000, 30_000, 300_000, 1_000_000] : [2_000, 1_000_000])(
    'very slow patterns over %i characters are evaluated or abandoned, and each blocks the main thread for at most 50 ms',
    async (length) => {
      const subject = randomText(length);
      for (const pattern of worse) {
        const result = await measureBest(pattern, subject);
        expect([pattern, result.held, result.blockedMs <= 50]).toEqual([pattern, false, true]);
        if (result.problem !== undefined) expect(result.problem).toContain(JSON.stringify(pattern).slice(0, 100));
      }
    },
  );

  test('the error of an abandoned pattern names the pattern, the length of the string and what to do', async () => {
    const { held, problem } = await measureBest('a.{1000}[xy]', randomText(300_000));
    expect(held).toBe(false);
    expect(problem).toBe(
      'output $: the pattern "a.{1000}[xy]" was not matched within 250 ms over 300000 characters. Use fewer repetitions in the pattern, select a shorter string with "path", or search for a fixed string with "contains".',
    );
  });

  test('a pattern is not tried on a string of more than a megabyte', async () => {
    const { held, problem, blockedMs } = await measureBest('a+$', 'a'.repeat(1_048_577));
    expect({ held, quick: blockedMs < 50 }).toEqual({ held: false, quick: true });
    expect(problem).toMatch(
      /^output \$: the pattern "a\+\$" was not tried: the string has 1048577 characters, more than the limit of 1048576\. .*"path"/,
    );
  });
});

test('F11 usual patterns over a megabyte of output have the right results', async () => {
  const line = '2024-05-01T12:00:00Z INFO request 4f9c-11 /checkout took 31 ms\n';
  const output = `${line.repeat(16_000)}Tests: 212 passed, 0 failed\n`;
  expect(output.length).toBeGreaterThan(990_000);
  for (const [pattern, held] of [
    ['\\d+ passed, 0 failed', true],
    ['(?m)^Tests: \\d+ passed, 0 failed$', true],
    ['(?i)tests:\\s+\\d+ PASSED', true],
    ['request [0-9a-f]{4}-\\d{2} /checkout took \\d+ ms', true],
    ['[1-9]\\d* failed', false],
    ['took \\d{4,} ms', false],
    ['(?m)^(ERROR|FATAL)\\b', false],
    ['0 failed', true],
    ['1 failed', false],
  ] as const) {
    const result = await measureBest(pattern, output);
    expect([pattern, result.held, result.problem, result.blockedMs <= 50]).toEqual([pattern, held, undefined, true]);
  }
});

test('F11 a pattern that cannot be matched in linear time is refused before the run', async () => {
  for (const value of ['(a)\\1', '(?=a)b', '(?<!a)b', '(?>a+)b']) {
    const assert = { path: '$.value', operator: 'matches', value };
    const read = { action: 'state_read', source: 'inputs', path: '$.x', next: 'done' };
    const { refused } = await runExtended(recipeOf({ a: { ...read, assert } }, { inputs: { x: 1 } }));
    expect([value, refused]).toEqual([value, ['assertion.invalid_value']]);
  }
});
