// Every node of teardown runs once a node of the recipe has begun, and teardown can only worsen the verdict (spec §5, §9).
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const note = (word: string, rest: object = {}) => ({
  action: 'command',
  intent: `Write down the word ${word}`,
  cmd: `echo ${word} >> log`,
  ...rest,
});
const setup = defineSetup({
  actions: [
    ownAction('shop.throw', () => {
      throw new TypeError('not a shop');
    }),
  ],
});
const runWithTeardown = (nodes: Nodes, teardown: readonly object[], rest: { workflow?: object; [key: string]: unknown } = {}) =>
  runExtended(recipeOf(nodes, { ...rest, workflow: { teardown, ...rest.workflow } }), { setup });
const passing = { first: note('graph', { next: 'done' }) };

describe('teardown runs', () => {
  const broken = { action: 'command', intent: 'Fail on the way in', cmd: 'exit 3' };
  test.for([
    ['setup failed', passing, { workflow: { setup: [broken] } }, ''],
    ['the start state failed', passing, { startState: broken }, ''],
    ['the graph failed', { first: { ...broken, next: 'done' } }, {}, ''],
    ['an action threw', { first: { action: 'shop.throw', next: 'done' } }, {}, ''],
    ['the graph ended with fail', { first: note('graph', { next: 'no' }), no: { action: 'end', status: 'fail' } }, {}, 'graph\n'],
    ['a node timed out', { first: { ...broken, cmd: 'sleep 9', timeout_ms: 300, next: 'done' } }, {}, ''],
    [
      'a loop reached its limit',
      {
        a: note('a', { next: 'b' }),
        b: { action: 'switch', cases: [{ when: { source: 'a', operator: 'exists' }, next: 'a' }], default: 'done' },
      },
      {},
      'a\n'.repeat(100),
    ],
  ] as const)('teardown runs after %s', async ([, nodes, rest, before]) => {
    const { read, summary } = await runWithTeardown(nodes as unknown as Nodes, [note('down')], rest);
    expect(read('log')).toBe(`${before}down\n`);
    expect(summary.status).not.toBe('pass');
  });

  test('teardown nodes run in their order and in the phase teardown, also after a failed one', async () => {
    const down = [note('one'), { action: 'shop.throw', intent: 'Fail while cleaning up' }, note('three')];
    const { trace, read } = await runWithTeardown(passing, down);
    expect(read('log')).toBe('graph\none\nthree\n');
    expect(trace.slice(2).map(({ nodeId, ok, phase }) => [nodeId, ok, phase])).toEqual([
      ['teardown:0', true, 'teardown'],
      ['teardown:1', false, 'teardown'],
      ['teardown:2', true, 'teardown'],
    ]);
  });

  test('teardown nodes can use saved values and flows', async () => {
    const nodes = { ...withIntents({ in: note('flow', { next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.clean': { version: 1, description: 'Cleans', workflow: { entry: 'in', nodes } } };
    const gate = { source: 'saved', path: '$.made.exitCode', operator: 'eq', value: 0 };
    const down = [note('saved', { when: gate }), { action: 'call', intent: 'Clean up by the flow', ref: 'shop.clean' }];
    const { read, ids } = await runWithTeardown({ first: note('graph', { save_as: 'made', next: 'done' }) }, down, { flows });
    expect(read('log')).toBe('graph\nsaved\nflow\n');
    expect(ids.slice(2)).toEqual(['teardown:0', 'teardown:1/in', 'teardown:1/ok', 'teardown:1']);
  });
});

describe('a verdict', () => {
  const fails = { action: 'command', intent: 'Fail while cleaning up', cmd: 'exit 5' };
  const ends = (status: string) => ({ first: note('graph', { next: 'over' }), over: { action: 'end', status } });

  test.for([
    ['pass', note('down'), 'pass', 0],
    ['pass', fails, 'fail', 1],
    ['unknown', note('down'), 'unknown', 1],
    ['unknown', fails, 'fail', 1],
    ['fail', note('down'), 'fail', 1],
    ['fail', fails, 'fail', 1],
    ['pass', { action: 'shop.throw', intent: 'Fail while cleaning up' }, 'unknown', 4],
    ['fail', { action: 'shop.throw', intent: 'Fail while cleaning up' }, 'fail', 1],
  ] as const)('a graph that ends with %s and the teardown node %j have the verdict %s', async ([status, down, verdict, code]) => {
    const { summary, exitCode } = await runWithTeardown(ends(status), [down]);
    expect({ status: summary.status, exitCode }).toEqual({ status: verdict, exitCode: code });
  });

  test('a tolerated failure in teardown does not change the verdict', async () => {
    const { summary, trace } = await runWithTeardown(passing, [{ ...fails, rw: { on_fail: 'continue' } }]);
    expect(summary.status).toBe('pass');
    expect(trace.at(-1)).toMatchObject({ ok: true, tolerated: { cause_class: 'subject' } });
  });

  test('a recipe that asserts only in teardown is unknown', async () => {
    const check = { action: 'assert_file', intent: 'The log is still there', path: 'a.recipe.json' };
    const { summary } = await runWithTeardown({ first: { action: 'wait', duration_ms: 0, next: 'done' } }, [check]);
    expect(summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
  });
});

test('a setup or teardown node with a transition is refused', async () => {
  for (const workflow of [{ setup: [note('a', { next: 'done' })] }, { teardown: [note('a', { next: 'done' })] }]) {
    const { refused, exitCode } = await runWithTeardown(passing, [], { workflow });
    expect({ refused, exitCode }).toEqual({ refused: ['workflow.lifecycle_has_transition'], exitCode: 2 });
  }
});
