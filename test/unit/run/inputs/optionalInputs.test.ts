// A reference to an input without a value is refused before the run, unless the node with the reference cannot run without the input.
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
const run = (nodes: Nodes, rest: object = {}, values?: object) =>
  runExtended(recipeOf(nodes, { inputs, ...rest }), { env: {}, setup, ...(values ? { inputs: { ...values } } : {}) });
const at = '/validate/workflow/nodes/second';

describe('a reference to an optional input without a value', () => {
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
  test.for(places)('a reference to an optional input without a value is refused before the run: %s', async ([path, node]) => {
    const { refused, exitCode, findings, read, everything } = await run({ first, second: node });
    expect({ refused, exitCode }).toEqual({ refused: ['template.unresolved_reference'], exitCode: 2 });
    expect(findings.find(({ severity }) => severity === 'error')).toMatchObject({
      path,
      message: expect.stringContaining('"x" is optional and has no value'),
      hint: expect.stringMatching(/--input x=….*"default".*"when"/),
    });
    expect([read('ran'), everything()]).toEqual([undefined, '']);
  });

  test('a reference to an input without a value is refused in setup, teardown, start state, flows and postconditions', async () => {
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

  test('a reference to a missing key of an input is refused before the run', async () => {
    const declared = { inputs: { j: { type: 'json', default: { a: { b: 1 } } } } };
    const { refused, findings } = await run({ first, second: show({ value: '{{j.a.c}}' }) }, declared);
    expect(refused).toEqual(['template.unresolved_reference']);
    expect(findings[0]?.message).toBe('{{j.a.c}} has no value: the input "j" is {"a":{"b":1}}, which has no "a.c".');
    expect((await run({ first, second: show({ value: '{{j.a.b}}' }) }, declared)).summary.status).toBe('pass');
  });
});

describe('a node that cannot run without the input', () => {
  const guarded: readonly (readonly [string, Nodes])[] = [
    ['a gate requires the input', { first, second: show({ when: exists }) }],
    [
      'a gate requires the input and more',
      { first, second: show({ when: { all: [{ source: 'first', path: '$.exitCode', operator: 'eq', value: 0 }, exists] } }) },
    ],
    ['a gate reads the input by its path', { first, second: show({ when: { path: '$.inputs.x', operator: 'exists' } }) }],
    ['"unless" excludes a missing input', { first, second: show({ unless: { none: [exists] } }) }],
    [
      'a gate of the parent node requires the input',
      {
        first,
        second: { ...inGroup, when: exists },
      },
    ],
    [
      'a switch leads to the node only with the input',
      { first, second: { action: 'switch', cases: [{ when: exists, next: 'third' }], default: 'done' }, third: show() },
    ],
    ['only the intent refers to the input', { first, second: show({ intent: 'Show {{x}} to the buyer', value: 1 }) }],
  ];
  test.for(guarded)('a recipe runs without an optional input when %s', async ([, nodes]) => {
    const { refused, summary } = await run(nodes);
    expect({ refused, status: summary.status }).toEqual({ refused: [], status: 'pass' });
  });

  test.for(guarded)('a recipe passes with the optional input when %s', async ([, nodes]) => {
    expect((await run(nodes, {}, { x: 'here' })).summary.status).toBe('pass');
  });

  test('a reference to an optional input reads its default', async () => {
    const { trace } = await run({ first, second: show() }, { inputs: { x: { type: 'string', required: false, default: 'd' } } });
    expect(trace[1]?.output).toEqual({ value: 'd' });
  });
});
