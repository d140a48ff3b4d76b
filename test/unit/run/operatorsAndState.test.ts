// Operators, compound assertions, operators of the project, and state refs in a run (spec §5.1, §5.2).
import { describe, expect, test } from 'vitest';
import type { Assertion } from '../../../src/recipe/recipe.js';
import { defineOperator, defineSetup, defineStateRef } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const data = { n: 3, zero: 0, none: null, text: 'order 42', list: [1, { a: 1 }], map: { a: 1, b: 2 } };
const look = ownAction('shop.look', () => ({ output: data }));
const asserting = (assert: Assertion, rest: object = {}) =>
  recipeOf({ first: { action: 'shop.look', assert, next: 'done', ...rest } }, { inputs: { limit: 3 } });
const verdict = async (assert: Assertion, setup = defineSetup({ actions: [look] })) =>
  (await runExtended(asserting(assert), { setup })).summary.status;

const pairs: readonly (readonly [operator: string, holds: object, fails: object])[] = [
  ['exists', { path: '$.none' }, { path: '$.nowhere' }],
  ['not_null', { path: '$.zero' }, { path: '$.none' }],
  ['truthy', { path: '$.list' }, { path: '$.zero' }],
  ['falsy', { path: '$.nowhere' }, { path: '$.list' }],
  ['eq', { path: '$.n', value: 3 }, { path: '$.n', value: '3' }],
  ['neq', { path: '$.n', value: '3' }, { path: '$.nowhere', value: 3 }],
  ['deep_eq', { path: '$.map', value: { b: 2, a: 1 } }, { path: '$.list', value: [{ a: 1 }, 1] }],
  ['gt', { path: '$.n', value: 2 }, { path: '$.text', value: 2 }],
  ['gte', { path: '$.n', param: 'limit' }, { path: '$.n', value: 4 }],
  ['lt', { path: '$.n', value: 4 }, { path: '$.n', param: 'limit' }],
  ['lte', { path: '$.n', value: 3 }, { path: '$.none', value: 3 }],
  ['contains', { path: '$.list', value: { a: 1 } }, { path: '$.map', value: 'a' }],
  ['not_contains', { path: '$.text', value: '43' }, { path: '$.nowhere', value: '43' }],
  ['matches', { path: '$.text', value: '^order \\d+$' }, { path: '$.n', value: '3' }],
  ['one_of', { path: '$.list[1]', value: [{ a: 1 }, 7] }, { path: '$.n', value: [1, 2] }],
  ['length_eq', { path: '$.map', value: 2 }, { path: '$.list', value: 5 }],
  ['length_gt', { path: '$.text', value: 7 }, { path: '$.text', value: 8 }],
  ['length_gte', { path: '$.list', value: 2 }, { path: '$.n', value: 1 }],
  ['length_lt', { path: '$.list', value: 3 }, { path: '$.nowhere', value: 3 }],
  ['length_lte', { path: '$.map', value: 2 }, { path: '$.map', value: 1 }],
];

test('each of the 20 operators passes and fails a run depending on the output of the node', async () => {
  expect(pairs).toHaveLength(20);
  for (const [operator, holds, fails] of pairs) {
    expect([operator, await verdict({ operator, ...holds })]).toEqual([operator, 'pass']);
    expect([operator, await verdict({ operator, ...fails })]).toEqual([operator, 'fail']);
  }
});

describe('compounds', () => {
  const yes = { path: '$.n', operator: 'eq', value: 3 };
  const no = { path: '$.n', operator: 'eq', value: 4 };
  const missing = { path: '$.nowhere', operator: 'eq', value: 3 };
  test.for([
    ['pass', { all: [yes, { any: [no, yes] }, { none: [no] }] }],
    ['fail', { all: [yes, no] }],
    ['fail', { any: [no, no] }],
    ['fail', { none: [no, yes] }],
    ['fail', { none: [missing] }],
    ['fail', { none: [{ all: [no, missing] }] }],
    ['pass', { none: [{ path: '$.nowhere', operator: 'exists' }] }],
    ['pass', { any: [missing, yes] }],
  ] as const)('a run has the verdict %s with the compound assertion %j', async ([status, assertion]) => {
    expect(await verdict(assertion as unknown as Assertion)).toBe(status);
  });
});

describe('an operator of the project', () => {
  const setupWith = (holds: (actual: unknown, expected: unknown) => unknown, rest: object = {}) =>
    defineSetup({
      actions: [look],
      operators: [defineOperator({ name: 'shop.near', description: 'Is near', ...rest, holds: holds as () => boolean })],
    });
  const near = { path: '$.n', operator: 'shop.near', value: 3.1 };

  test('an operator of the project receives both values and decides the assertion', async () => {
    const within = setupWith((a, b) => Math.abs(Number(a) - Number(b)) < 0.5);
    expect(await verdict(near, within)).toBe('pass');
    expect(await verdict({ ...near, value: 9 }, within)).toBe('fail');
    expect(await verdict({ none: [{ ...near, value: 9 }] }, within)).toBe('pass');
  });

  test.for([1, 'true', {}, [], Promise.resolve(true)])(
    'an assertion fails when the operator of the project returns %j',
    async (answer) => {
      expect(
        await verdict(
          near,
          setupWith(() => answer),
        ),
      ).toBe('fail');
    },
  );

  test('an operator of the project is not called for a missing value', async () => {
    let calls = 0;
    const counting = setupWith(
      () => {
        calls++;
        return true;
      },
      { unary: true },
    );
    expect(await verdict({ path: '$.nowhere', operator: 'shop.near' }, counting)).toBe('fail');
    expect(await verdict({ none: [{ path: '$.nowhere', operator: 'shop.near' }] }, counting)).toBe('fail');
    expect(calls).toBe(0);
  });

  test('an operator of the project that throws is a fault of the harness, in an assertion and in a gate', async () => {
    const setup = setupWith(() => {
      throw new Error('no scale');
    });
    for (const node of [{ assert: near }, { when: { ...near, source: 'inputs', path: '$.limit' } }]) {
      const recipe = recipeOf({ first: { action: 'shop.look', next: 'done', ...node } }, { inputs: { limit: 3 } });
      const { summary, exitCode } = await runExtended(recipe, { setup });
      expect({ exitCode, cause: summary.cause_class }).toEqual({ exitCode: 4, cause: 'harness' });
      expect(summary.reason).toContain('no scale');
    }
  });

  test('an operator of the project needs a namespace other than rw', async () => {
    for (const name of ['near', 'eq', '.near', 'shop.', 'rw.near']) {
      const setup = defineSetup({ operators: [defineOperator({ name, description: 'x', holds: () => true })] });
      const { exitCode, findings } = await runExtended(asserting(near), { setup });
      expect([name, exitCode, findings[0]?.message]).toEqual([name, 2, expect.stringContaining(JSON.stringify(name))]);
    }
  });

  test('an undefined operator is refused before the run', async () => {
    const { refused, exitCode } = await runExtended(asserting(near), { setup: defineSetup({ actions: [look] }) });
    expect({ refused, exitCode }).toEqual({ refused: ['assertion.unknown_operator'], exitCode: 2 });
  });
});

describe('a state ref', () => {
  const counter = () => {
    let reads = 0;
    const ref = defineStateRef({ name: 'cart', description: 'The cart', read: () => ({ items: ++reads }) });
    return defineSetup({ actions: [look], stateRefs: [ref] });
  };
  const cart = (value: number) => ({ source: 'state:cart', path: '$.items', operator: 'eq', value });

  test('a state ref is read again for each gate, case, assertion, state_read and postcondition', async () => {
    const flow = {
      entry: 'in',
      nodes: { ...withIntents({ in: { action: 'shop.look', next: 'ok' } }), ok: { action: 'end', status: 'pass' } },
    };
    const nodes = {
      first: { action: 'shop.look', when: cart(1), assert: cart(2), next: 'branch' },
      branch: { action: 'switch', cases: [{ when: cart(3), next: 'read' }], default: 'lost' },
      read: {
        action: 'state_read',
        source: 'state:cart',
        path: '$.items',
        assert: { path: '$.value', operator: 'eq', value: 4 },
        next: 'call',
      },
      call: { action: 'call', ref: 'shop.flow', next: 'done' },
      lost: { action: 'end', status: 'fail' },
    };
    const flows = { 'shop.flow': { version: 1, description: 'Looks', postcondition: cart(5), workflow: flow } };
    const { summary, ids } = await runExtended(recipeOf(nodes, { flows }), { setup: counter() });
    expect(summary.reason).toBe('the recipe passed');
    expect(ids).toEqual(['first', 'branch', 'read', 'call/in', 'call/ok', 'call', 'done']);
  });

  const invalidRefs: readonly (readonly [string, () => unknown, number, RegExp])[] = [
    ['a state ref that returns undefined is a missing value', () => undefined, 1, /missing/],
    [
      'a state ref that throws is a fault of the harness',
      () => Promise.reject(new Error('offline')),
      4,
      /cart could not be read: .*offline/,
    ],
    ['a state ref that is not JSON is a fault of the harness', () => 10n, 4, /cart returned a value that is not JSON/],
  ];
  test.for(invalidRefs)('%s', async ([, read, code, reason]) => {
    const setup = defineSetup({ actions: [look], stateRefs: [defineStateRef({ name: 'cart', description: 'x', read })] });
    const { exitCode, summary } = await runExtended(asserting(cart(1)), { setup });
    expect(exitCode).toBe(code);
    expect(summary.reason).toMatch(reason);
  });

  test('an undefined state ref is refused, and the hint suggests the nearest name', async () => {
    const unknown = asserting({ ...cart(1), source: 'state:crat' });
    const { exitCode, findings } = await runExtended(unknown, { setup: counter() });
    expect(exitCode).toBe(2);
    expect(`${findings[0]?.message} ${findings[0]?.hint}`).toContain('cart');
  });
});
