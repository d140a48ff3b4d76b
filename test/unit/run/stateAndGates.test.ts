import { describe, expect, test } from 'vitest';
import { definePrecondition, defineSetup, defineStateRef } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const command = (cmd: string, rest: object = {}) => ({ action: 'command', cmd, next: 'done', ...rest });
const proofTargets = [{ id: 'AC1', claim: 'It holds.' }];
const flowOf = (nodes: Nodes, rest: object = {}) => {
  const workflow = { entry: Object.keys(nodes)[0], nodes: { ...withIntents(nodes), ok: { action: 'end', status: 'pass' } } };
  return { version: 1, description: 'Runs some nodes', ...rest, workflow };
};

describe('state refs', () => {
  const cart = (value: unknown) => ({ source: 'state:cart', path: '$.a', operator: 'eq', value });
  test('S1 a state ref that becomes undefined is a missing value, although it had a value before', async () => {
    let state: unknown = { a: 1 };
    const setup = defineSetup({
      actions: [
        ownAction('shop.clear', () => {
          state = undefined;
          return { output: { ok: true } };
        }),
      ],
      stateRefs: [defineStateRef({ name: 'cart', description: 'The cart', read: () => state })],
    });
    const recipe = recipeOf({ a: { action: 'shop.clear', when: cart(1), assert: cart(1), next: 'done' } });
    expect((await runExtended(recipe, { setup })).summary.status).toBe('fail');
  });

  const hanging = defineSetup({
    stateRefs: [defineStateRef({ name: 'cart', description: 'x', read: () => new Promise(() => undefined) })],
  });
  test.for([{ assert: cart(1) }, { when: cart(1) }])(
    'S2 a state ref that never resolves fails at the timeout of its node: %j',
    async (rest) => {
      const ended = await runExtended(recipeOf({ a: command('true', { timeout_ms: 500, ...rest }) }), { setup: hanging });
      expect(ended).toMatchObject({ exitCode: 1, summary: { status: 'fail' } });
    },
  );

  test('S3 rw.in fills a field with the value of a state ref', async () => {
    const setup = defineSetup({ stateRefs: [defineStateRef({ name: 'cart', description: 'x', read: () => ({ a: 'text' }) })] });
    const bound = {
      action: 'command',
      argv: ['cat'],
      rw: { in: { stdin: { source: 'state:cart', path: '$.a' } } },
      next: 'done',
    };
    const { trace } = await runExtended(recipeOf({ a: bound }), { setup });
    expect(trace[0]?.output).toMatchObject({ stdout: 'text' });
  });
});

test('G1 a precondition that never resolves fails at its timeoutMs', async () => {
  const gate = definePrecondition({
    id: 'shop.open',
    description: 'x',
    timeoutMs: 300,
    check: () => new Promise(() => undefined),
  });
  const recipe = recipeOf({ a: command('true') }, { workflow: { pre_conditions: ['shop.open'] } });
  const ended = await runExtended(recipe, { setup: defineSetup({ preconditions: [gate] }) });
  expect(ended).toMatchObject({ summary: { status: 'fail' } });
});

describe('proof', () => {
  const look = {
    action: 'shop.look',
    intent: 'Look at the balance',
    assert: { path: '$.balance', operator: 'eq', value: 100 },
    proofTarget: 'AC1',
  };
  const credit = { action: 'shop.credit', intent: 'Give the buyer some credit' };
  const setup = defineSetup({
    actions: [
      ownAction('shop.look', () => ({ output: { balance: 100 } })),
      ownAction('shop.credit', () => ({ output: { balance: 100 } }), { effect: 'backdoor' }),
      ownAction('shop.forge', () => ({ asserts: [{ operator: 'eq', path: '$', held: true, proofTarget: 'AC1' }] })),
    ],
  });
  const plain = { a: { action: 'command', cmd: 'true', next: 'done' } };

  test.for([
    ['setup', { workflow: { setup: [credit, look] } }],
    ['the start state', { startState: look }],
    ['teardown', { workflow: { teardown: [look] } }],
  ] as const)('P1 an assertion in %s proves no claim', async ([, rest]) => {
    expect((await runExtended(recipeOf(plain, { proofTargets, ...rest }), { setup })).summary.status).toBe('unknown');
  });

  test.for([
    [
      'as the recovery of a proof',
      recipeOf({ a: { ...look, rw: { retry: { max: 2, recover: credit } }, next: 'done' } }, { proofTargets }),
    ],
    [
      'after an assertion in a group',
      recipeOf(
        {
          a: {
            action: 'rw.group',
            order: 'in_turn',
            body: { nodes: withIntents({ l: look, c: credit, m: look }) },
            next: 'done',
          },
        },
        { proofTargets },
      ),
    ],
    [
      'after an assertion in a flow',
      recipeOf(
        { a: { action: 'call', ref: 'f.x', next: 'done' } },
        {
          proofTargets,
          flows: { 'f.x': flowOf({ l: { ...look, next: 'c' }, c: { ...credit, next: 'm' }, m: { ...look, next: 'ok' } }) },
        },
      ),
    ],
    [
      'in a call after an assertion',
      recipeOf(
        { l: { ...look, next: 'c' }, c: { action: 'call', ref: 'f.c', next: 'm' }, m: { ...look, next: 'done' } },
        { proofTargets, flows: { 'f.c': flowOf({ c: { ...credit, next: 'ok' } }) } },
      ),
    ],
  ] as const)('P2 a backdoor is refused %s', async ([, recipe]) => {
    expect((await runExtended(recipe, { setup })).refused).toContain('workflow.backdoor_in_proof');
  });

  test('P3 an action cannot prove a claim that its node does not serve', async () => {
    const forged = recipeOf({ a: { action: 'shop.forge', next: 'done' } }, { proofTargets });
    expect((await runExtended(forged, { setup })).summary).toMatchObject({ status: 'unknown', proof: [{ status: 'unproven' }] });
  });
});
