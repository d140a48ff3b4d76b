// A reference to an input without value is found before anything runs, unless the inputs themselves keep its node from running.
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../../src/registry/setup.js';
import { ownAction } from '../../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../../support/plain.js';
import { runExtended } from '../../../support/runExtended.js';

const setup = defineSetup({ actions: [ownAction('shop.show', ({ value }) => ({ output: { value } }))] });
const inputs = { x: { type: 'string', required: false }, y: 'given' };
const first = { action: 'command', cmd: 'touch ran', next: 'second' };
const show = (rest: object = {}) => ({ action: 'shop.show', value: '{{x}}', next: 'done', ...rest });
const inGroup = {
  action: 'rw.group',
  order: 'in_turn',
  body: { nodes: withIntents({ in: { action: 'shop.show', value: '{{x}}' } }) },
  next: 'done',
};
const exists = { source: 'inputs', path: '$.x', operator: 'exists' };
const run = (nodes: Nodes, rest: object = {}, given?: object) =>
  runExtended(recipeOf(nodes, { inputs, ...rest }), { env: {}, setup, ...(given ? { inputs: { ...given } } : {}) });
const at = '/validate/workflow/nodes/second';

describe('an optional input that nobody gave is refused before anything runs where it is referred to', () => {
  const places: readonly (readonly [path: string, node: Record<string, unknown>])[] = [
    [`${at}/value`, show()],
    [`${at}/value`, show({ value: '{{inputs.x}}' })],
    [`${at}/value/a/1`, show({ value: { a: [1, 'is {{ x }}'] } })],
    [`${at}/assert/value`, show({ value: 1, assert: { path: '$.value', operator: 'eq', value: '{{x}}' } })],
    [`${at}/assert/all/0/param`, show({ value: 1, assert: { all: [{ path: '$.value', operator: 'eq', param: 'x' }] } })],
    [`${at}/when/value`, show({ value: 1, when: { source: 'inputs', path: '$.y', operator: 'eq', value: '{{x}}' } })],
    [`${at}/rw/in/value/path`, show({ value: undefined, rw: { in: { value: { source: 'inputs', path: '$.x' } } } })],
    [`${at}/value`, show({ when: { source: 'first', path: '$.exitCode', operator: 'eq', value: 0 } })],
    [`${at}/value`, show({ when: { source: 'inputs', path: '$.y', operator: 'exists' } })],
    [`${at}/value`, show({ unless: exists })],
    [`${at}/body/nodes/in/value`, inGroup],
  ];
  test.for(places)('%s', async ([path, node]) => {
    const { refused, exitCode, findings, read, everything } = await run({ first, second: node });
    expect({ refused, exitCode }).toEqual({ refused: ['template.unresolved_reference'], exitCode: 2 });
    expect(findings.find(({ severity }) => severity === 'error')).toMatchObject({
      path,
      message: expect.stringContaining('"x" is optional and was not given'),
      hint: expect.stringMatching(/--input x=….*"default".*"when"/),
    });
    expect([read('ran'), everything()]).toEqual([undefined, '']);
  });

  test('in setup, teardown, start state, flows and their postconditions too', async () => {
    const nodes = { first, second: { action: 'call', ref: 'shop.flow', next: 'done' } };
    const flow = (value: string, postcondition?: object) => ({
      'shop.flow': {
        ...{ version: 1, description: 'Shows', ...(postcondition ? { postcondition } : {}) },
        workflow: {
          entry: 'in',
          nodes: { ...withIntents({ in: { ...show({ value }), next: 'ok' } }), ok: { action: 'end', status: 'pass' } },
        },
      },
    });
    const list = [{ intent: 'Show it once more', action: 'shop.show', value: '{{x}}' }];
    for (const rest of [
      { flows: flow('{{inputs.x}}') },
      { flows: flow('a', { path: '$.value', operator: 'eq', value: '{{inputs.x}}' }) },
      { flows: flow('a'), workflow: { setup: list } },
      { flows: flow('a'), workflow: { teardown: list } },
      { flows: flow('a'), startState: list[0] },
    ])
      expect((await run(nodes, rest)).refused).toEqual(['template.unresolved_reference']);
    expect((await run(nodes, { flows: flow('a') })).summary.status).toBe('pass');
  });

  test('and a key that a given input does not have', async () => {
    const given = { inputs: { j: { type: 'json', default: { a: { b: 1 } } } } };
    const { refused, findings } = await run({ first, second: show({ value: '{{j.a.c}}' }) }, given);
    expect(refused).toEqual(['template.unresolved_reference']);
    expect(findings[0]?.message).toBe('{{j.a.c}} has no value: the input "j" is {"a":{"b":1}}, in which there is no "a.c".');
    expect((await run({ first, second: show({ value: '{{j.a.b}}' }) }, given)).summary.status).toBe('pass');
  });
});

describe('the run goes on', () => {
  const fine: readonly (readonly [string, Nodes])[] = [
    ['by a gate that asks for the input', { first, second: show({ when: exists }) }],
    [
      'by a gate that asks for more than that',
      { first, second: show({ when: { all: [{ source: 'first', path: '$.exitCode', operator: 'eq', value: 0 }, exists] } }) },
    ],
    ['by a gate in the other spelling', { first, second: show({ when: { path: '$.inputs.x', operator: 'exists' } }) }],
    ['by its opposite', { first, second: show({ unless: { none: [exists] } }) }],
    [
      'by a gate around it',
      {
        first,
        second: { ...inGroup, when: exists },
      },
    ],
    [
      'by a switch',
      { first, second: { action: 'switch', cases: [{ when: exists, next: 'third' }], default: 'done' }, third: show() },
    ],
    ['by an intent, which is only read', { first, second: show({ intent: 'Show {{x}} to somebody', value: 1 }) }],
  ];
  test.for(fine)('where the node cannot run without the input: %s', async ([, nodes]) => {
    const { refused, summary } = await run(nodes);
    expect({ refused, status: summary.status }).toEqual({ refused: [], status: 'pass' });
  });

  test.for(fine)('and so does it when the input is there: %s', async ([, nodes]) => {
    expect((await run(nodes, {}, { x: 'here' })).summary.status).toBe('pass');
  });

  test('where it has a default', async () => {
    const { trace } = await run({ first, second: show() }, { inputs: { x: { type: 'string', required: false, default: 'd' } } });
    expect(trace[1]?.output).toEqual({ value: 'd' });
  });
});
