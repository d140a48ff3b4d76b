// A pattern that takes too long fails the node that uses it, and the error names the pattern. A gate, a case or an edge with such a pattern decides nothing.
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
  test('an assertion with a slow pattern fails, and the reason and the trace name the pattern', async () => {
    const result = await looking(matching(slow));
    expect(outcome(result)).toEqual(failed);
    expect(result.summary.reason).toContain(overBudget);
    const [assertion] = (result.trace[0] as { asserts?: { held: boolean; problem?: string }[] }).asserts ?? [];
    expect(assertion).toMatchObject({
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
  ] as const)('a run has the verdict %s with a slow pattern in the compound assertion %j', async ([status, assertion]) => {
    expect((await looking(assertion)).summary.status).toBe(status);
  });

  test('only the first four of many slow patterns are tried', async () => {
    const result = await looking({ all: Array.from({ length: 40 }, (_, index) => matching(`${slow}{${index + 1}}`)) });
    expect(outcome(result)).toEqual(failed);
    const [assertion] = (result.trace[0] as { asserts?: { comparisons?: { problem?: string }[] }[] }).asserts ?? [];
    const problems = assertion?.comparisons?.map(({ problem = '' }) => problem) ?? [];
    expect(problems.filter((problem) => problem.includes('was not matched within 250 ms'))).toHaveLength(4);
    expect(problems.filter((problem) => problem.includes('was not tried after 4 others that took too long'))).toHaveLength(36);
  });

  test('a slow pattern fails assert_json and assert_output, and a fast one is evaluated', async () => {
    const json = { action: 'assert_json', path: 'a.json', assert: matching(slow), next: 'done' };
    const inFile = await run({ first: json }, {}, { files: { 'a.json': JSON.stringify({ text }) } });
    expect(outcome(inFile)).toEqual(failed);
    expect(inFile.summary.reason).toContain(overBudget);
    const output = { action: 'assert_output', source: 'first', stream: 'text', next: 'done' };
    const first = { action: 'shop.look', next: 'second' };
    expect((await run({ first, second: { ...output, match: slow } })).summary.reason).toContain(overBudget);
    expect((await run({ first, second: { ...output, match: '[ab]+!$' } })).summary.status).toBe('pass');
  });

  test('a slow pattern in the postcondition of a flow fails the call', async () => {
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

  test('a slow pattern in a switch fails the switch, and neither the case nor the default runs', async () => {
    const result = await run(branch(slow));
    expect(outcome(result)).toEqual(failed);
    expect(result.ids).toEqual(['first', 'branch']);
    expect(result.summary.reason).toContain(`The condition cannot be evaluated: first $.text: ${overBudget}`);
    expect((await run(branch('[cd]'))).ids).toEqual(['first', 'branch', 'done']);
  });

  test('a slow pattern on an edge fails the node before the edge, and the trace has the output of the node', async () => {
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
  const matchingFirst = (value: string) => matching(value, { source: 'first' });

  test('a slow pattern in a gate fails the node instead of skipping it, and does not block the event loop', async () => {
    for (const gate of [
      { when: matchingFirst(slow) },
      { unless: matchingFirst(slow) },
      { when: { none: [matchingFirst(slow)] } },
    ]) {
      let turns = 0;
      const timer = setInterval(() => turns++, 10);
      const prepared = await prepare(gate);
      clearInterval(timer);
      expect(prepared.problem).toMatchObject({ code: 'assertion.undecided', kind: 'assertion' });
      expect(prepared.problem?.message).toContain(overBudget);
      expect([prepared.skip, turns > 5]).toEqual([undefined, true]);
    }
  });

  test('a fast pattern in a gate is evaluated', async () => {
    expect(await prepare({ when: matchingFirst('[cd]') })).toMatchObject({ skip: 'when predicate was false' });
    expect(await prepare({ when: matchingFirst('[ab]+!$') })).toEqual({ fields: {} });
    expect(await prepare({ unless: matchingFirst('[ab]+!$') })).toMatchObject({ skip: 'unless predicate was true' });
  });
});

test('an invalid pattern from an input fails the assertion, and the reason quotes the pattern', async () => {
  const recipe = recipeOf({ first: { action: 'shop.look', assert: matching('{{p}}'), next: 'done' } }, { inputs: { p: '(' } });
  const { summary, exitCode } = await runExtended(recipe, { setup });
  expect(exitCode).toBe(1);
  expect(summary.reason).toMatch(/"\(" is not a valid pattern: .*missing closing/);
});
