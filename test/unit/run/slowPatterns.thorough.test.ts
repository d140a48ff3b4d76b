// A pattern that takes too long fails the node that asks for it, by name, wherever it stands; and a branch is never taken by accident.
import { describe, expect, test } from 'vitest';
import type { Assertion } from '../../../src/recipe/recipe.js';
import { defineSetup } from '../../../src/registry/setup.js';
import { passGates } from '../../../src/run/node/prepareNode.js';
import { Scope } from '../../../src/run/node/scope.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { randomText } from '../../support/randomText.js';
import { runExtended } from '../../support/runExtended.js';

const text = `${randomText(300_000)}!`;
const look = ownAction('shop.look', () => ({ output: { text } }));
const setup = defineSetup({ actions: [look] });
const slow = 'a.{1000}[xy]';
const matching = (value: string, rest: object = {}) => ({ path: '$.text', operator: 'matches', value, ...rest });
const overBudget = `the pattern ${JSON.stringify(slow)} was not matched within 250 ms over 300001 characters`;
const run = (nodes: Record<string, Record<string, unknown>>, rest: Record<string, unknown> = {}, added: object = {}) =>
  runExtended(recipeOf(nodes, rest), { setup, ...added });
const looking = (assert: unknown) => run({ first: { action: 'shop.look', assert, next: 'done' } });
const failed = { exitCode: 1, status: 'fail', cause: 'subject' };
const outcome = ({ exitCode, summary }: Awaited<ReturnType<typeof run>>) => ({
  ...{ exitCode, status: summary.status, cause: summary.cause_class },
});

describe('an assertion with a slow pattern', () => {
  test('fails by name, and its place in the trace says why', async () => {
    const result = await looking(matching(slow));
    expect(outcome(result)).toEqual(failed);
    expect(result.summary.reason).toContain(overBudget);
    const [made] = (result.trace[0] as { asserts?: { held: boolean; problem?: string }[] }).asserts ?? [];
    expect(made).toMatchObject({
      held: false,
      operator: 'matches',
      expected: slow,
      problem: expect.stringContaining(overBudget),
    });
  });

  test.for([
    ['fail', { none: [matching(slow)] }],
    ['fail', { all: [matching('[ab]+!$'), matching(slow)] }],
    ['pass', { any: [matching(slow), matching('[ab]+!$')] }],
    ['fail', { none: [{ any: [matching(slow), matching('[cd]$')] }] }],
  ] as const)('is %s by %j', async ([status, assertion]) => {
    expect((await looking(assertion)).summary.status).toBe(status);
  });

  test('gives up after the first four of many', async () => {
    const result = await looking({ all: Array.from({ length: 40 }, (_, index) => matching(`${slow}{${index + 1}}`)) });
    expect(outcome(result)).toEqual(failed);
    const [made] = (result.trace[0] as { asserts?: { comparisons?: { problem?: string }[] }[] }).asserts ?? [];
    const problems = made?.comparisons?.map(({ problem = '' }) => problem) ?? [];
    expect(problems.filter((problem) => problem.includes('was not matched within 250 ms'))).toHaveLength(4);
    expect(problems.filter((problem) => problem.includes('was not tried after 4 others that took too long'))).toHaveLength(36);
  });

  test('is decided in assert_json and assert_output too', async () => {
    const json = { action: 'assert_json', path: 'a.json', assert: matching(slow), next: 'done' };
    const inFile = await run({ first: json }, {}, { files: { 'a.json': JSON.stringify({ text }) } });
    expect(outcome(inFile)).toEqual(failed);
    expect(inFile.summary.reason).toContain(overBudget);
    const output = { action: 'assert_output', source: 'first', stream: 'text', next: 'done' };
    const first = { action: 'shop.look', next: 'second' };
    expect((await run({ first, second: { ...output, match: slow } })).summary.reason).toContain(overBudget);
    expect((await run({ first, second: { ...output, match: '[ab]+!$' } })).summary.status).toBe('pass');
  });

  test('is a broken promise as the postcondition of a flow', async () => {
    const nodes = { ...withIntents({ in: { action: 'shop.look', next: 'ok' } }), ok: { action: 'end', status: 'pass' } };
    const flowOf = (value: string) => ({
      'shop.flow': { version: 1, description: 'Looks', postcondition: matching(value), workflow: { entry: 'in', nodes } },
    });
    const call = { action: 'call', ref: 'shop.flow', next: 'done' };
    const result = await run({ call }, { flows: flowOf(slow) });
    expect(outcome(result)).toEqual(failed);
    expect(result.summary.reason).toContain(overBudget);
    expect((await run({ call }, { flows: flowOf('[ab]+!$') })).summary.status).toBe('pass');
  });
});

describe('a branch by a slow pattern', () => {
  const branch = (value: string) => ({
    first: { action: 'shop.look', next: 'branch' },
    branch: {
      ...{ action: 'switch', default: 'done' },
      cases: [{ when: matching(value, { source: 'first' }), next: 'wrong' }],
    },
    wrong: { action: 'end', status: 'fail' },
  });

  test('of a switch fails the switch, and neither the case nor the default is taken', async () => {
    const result = await run(branch(slow));
    expect(outcome(result)).toEqual(failed);
    expect(result.ids).toEqual(['first', 'branch']);
    expect(result.summary.reason).toContain(`Nobody can say which way to go: first $.text: ${overBudget}`);
    expect((await run(branch('[cd]'))).ids).toEqual(['first', 'branch', 'done']);
  });

  test('of an edge fails the node it leads away from, and keeps what that gave', async () => {
    const dag = (value: string) => ({
      action: 'rw.dag',
      next: 'done',
      body: {
        nodes: withIntents({ a: { action: 'shop.look' }, b: { action: 'shop.look' } }),
        edges: [{ from: 'a', to: 'b', when: matching(value, { source: 'a' }) }],
      },
    });
    const result = await run({ first: dag(slow) });
    expect(outcome(result)).toEqual(failed);
    expect(result.ids).not.toContain('first/b');
    expect(result.trace[0]).toMatchObject({ nodeId: 'first/a', ok: false, output: { text } });
    expect((await run({ first: dag('[ab]+!$') })).summary.status).toBe('pass');
  });

  const scope = new Scope({ inputs: {}, saved: new Map() });
  scope.addOutput('first', { text });
  const prepare = (gate: { when?: Assertion; unless?: Assertion }) =>
    passGates(
      { id: 'a', pointer: '', section: 'graph', action: 'shop.look', onFail: 'stop', bindings: new Map(), fields: {}, ...gate },
      look,
      scope,
    );
  const asks = (value: string) => matching(value, { source: 'first' });

  test('of a gate fails the node instead of skipping it, and holds up nobody', async () => {
    for (const gate of [{ when: asks(slow) }, { unless: asks(slow) }, { when: { none: [asks(slow)] } }]) {
      let turns = 0;
      const timer = setInterval(() => turns++, 10);
      const prepared = await prepare(gate);
      clearInterval(timer);
      expect(prepared.problem).toMatchObject({ code: 'assertion.undecided', kind: 'assertion' });
      expect(prepared.problem?.message).toContain(overBudget);
      expect([prepared.skip, turns > 5]).toEqual([undefined, true]);
    }
  });

  test('of a gate is answered right when it can be', async () => {
    expect(await prepare({ when: asks('[cd]') })).toMatchObject({ skip: 'when predicate was false' });
    expect(await prepare({ when: asks('[ab]+!$') })).toEqual({ fields: {} });
    expect(await prepare({ unless: asks('[ab]+!$') })).toMatchObject({ skip: 'unless predicate was true' });
  });
});

test('a pattern that an input gives and nobody can read fails the assertion with the reason', async () => {
  const recipe = recipeOf({ first: { action: 'shop.look', assert: matching('{{p}}'), next: 'done' } }, { inputs: { p: '(' } });
  const { summary, exitCode } = await runExtended(recipe, { setup });
  expect(exitCode).toBe(1);
  expect(summary.reason).toMatch(/"\(" is not a valid pattern: .*missing closing/);
});
