// The sources of assert_output: the output of an earlier node, a state ref of the project, and the sources that the assertion itself names.
import { describe, expect, test } from 'vitest';
import { defineSetup, defineStateRef } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const states: Readonly<Record<string, () => unknown>> = {
  banner: () => 'Order 42 confirmed',
  cart: () => ({ items: ['tea', 'milk'], total: 7 }),
  shell: () => ({ stdout: 'two words', stderr: 'a warning' }),
  list: () => ['tea', 'milk'],
  gone: () => undefined,
};
const setup = defineSetup({
  actions: [ownAction('shop.look', () => ({ output: { stdout: 'hello 7', exitCode: 3 } }))],
  stateRefs: Object.entries(states).map(([name, read]) => defineStateRef({ name, description: name, read })),
});
const run = (node: object) =>
  runExtended(
    recipeOf(
      { first: { action: 'shop.look', next: 'second' }, second: { action: 'assert_output', next: 'done', ...node } },
      { inputs: { most: 7 } },
    ),
    { setup },
  );
const at = (path: string, operator: string, rest: object = {}) => ({ assert: { path, operator, ...rest } });

describe('a state ref as the source of assert_output', () => {
  test.for([
    ['pass', 'banner', { contains: '42' }],
    ['fail', 'banner', { contains: '43' }],
    ['pass', 'banner', { match: '^Order \\d+ confirmed$' }],
    ['fail', 'banner', { match: '^Order$' }],
    ['pass', 'cart', at('$.total', 'eq', { value: 7 })],
    ['fail', 'cart', at('$.total', 'eq', { value: 8 })],
    ['pass', 'cart', at('$.items', 'contains', { value: 'tea' })],
    ['pass', 'cart', at('$', 'deep_eq', { value: { items: ['tea', 'milk'], total: 7 } })],
    ['pass', 'list', { contains: 'tea' }],
    ['fail', 'list', { contains: 'salt' }],
    ['pass', 'shell', { contains: 'two' }],
    ['pass', 'shell', { stream: 'stderr', contains: 'warning' }],
    ['fail', 'shell', { contains: 'warning' }],
    ['fail', 'gone', { contains: 'a' }],
    ['fail', 'gone', at('$', 'not_contains', { value: 'a' })],
  ] as const)('assert_output has the verdict %s for the state ref %s and the check %j', async ([status, name, check]) => {
    const { summary, refused } = await run({ source: `state:${name}`, ...check });
    expect({ refused, status: summary.status }).toEqual({ refused: [], status });
  });

  test('the trace has the value of the state ref that assert_output compared', async () => {
    const { trace } = await run({ source: 'state:banner', contains: '43' });
    const [assertion] = (trace[1] as { asserts?: unknown[] }).asserts ?? [];
    expect(assertion).toMatchObject({ source: 'state:banner', operator: 'contains', actual: 'Order 42 confirmed', held: false });
    expect(trace[1]?.error).toContain('state:banner $ expected contains "43", received "Order 42 confirmed"');
  });

  test('assert_exit_code reads the exit code of a state ref', async () => {
    const shell = defineSetup({
      stateRefs: [defineStateRef({ name: 'shell', description: 'x', read: () => ({ exitCode: 3 }) })],
    });
    const recipe = (expected: number) =>
      recipeOf({ first: { action: 'assert_exit_code', source: 'state:shell', expected, next: 'done' } });
    expect((await runExtended(recipe(3), { setup: shell })).summary.status).toBe('pass');
    expect((await runExtended(recipe(0), { setup: shell })).summary.status).toBe('fail');
  });
});

describe('the assertion of assert_output', () => {
  test.for([
    ['pass', at('$.exitCode', 'eq', { value: 3 })],
    ['fail', at('$.text', 'not_contains', { value: 'a' })],
    ['pass', { assert: { source: 'state:cart', path: '$.total', operator: 'eq', param: 'most' } }],
    ['fail', { assert: { source: 'state:cart', path: '$.total', operator: 'gt', param: 'most' } }],
    [
      'pass',
      {
        assert: {
          all: [
            { operator: 'contains', value: 'hello' },
            { source: 'inputs', path: '$.most', operator: 'eq', value: 7 },
          ],
        },
      },
    ],
    [
      'fail',
      {
        assert: {
          all: [
            { operator: 'contains', value: 'hello' },
            { source: 'inputs', path: '$.most', operator: 'eq', value: 8 },
          ],
        },
      },
    ],
  ] as const)(
    'assert_output has the verdict %s for an assertion over the output and other sources: %j',
    async ([status, check]) => {
      expect((await run({ source: 'first', ...check })).summary.status).toBe(status);
    },
  );

  test('the trace of assert_output has the source that its assertion names', async () => {
    const { trace } = await run({ source: 'first', assert: { source: 'state:cart', path: '$.total', operator: 'eq', value: 7 } });
    expect((trace[1] as { asserts?: unknown[] }).asserts).toMatchObject([{ source: 'state:cart', actual: 7 }]);
  });
});

test.for(['', ' ', undefined])('defineStateRef throws for the name %j', (name) => {
  expect(() => defineStateRef({ name: name as string, description: 'x', read: () => 1 })).toThrow(
    /Give the state ref a name, such as "cart"/,
  );
});

test('the source "state:" without a name is refused before the run', async () => {
  const { refused, exitCode } = await run({ source: 'state:', contains: 'a' });
  expect({ refused, exitCode }).toEqual({ refused: ['workflow.undeclared_state_ref'], exitCode: 2 });
});
