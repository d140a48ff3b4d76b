// A run that proves nothing never passes: F52 no assertions, F53 assertions that cannot fail, F56 a proof that produces its own result.
import { describe, expect, test } from 'vitest';
import { evaluateAssertion } from '../../src/engine/evaluateAssertion.js';
import { defineSetup } from '../../src/registry/setup.js';
import { ownAction } from '../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../support/plain.js';
import { runExtended } from '../support/runExtended.js';

const proofTargets = [{ id: 'AC1', claim: 'It holds.' }];
const command = (rest: object = {}) => ({ action: 'command', argv: ['true'], next: 'done', ...rest });
const ok = { path: '$.exitCode', operator: 'eq', value: 0 };
const never = { source: 'inputs', path: '$.x', operator: 'eq', value: 'never' };
const claim = { assert: ok, proofTarget: 'AC1' };
const claimed = (nodes: Nodes, rest: object = {}) => recipeOf(nodes, { inputs: { x: 1 }, proofTargets, ...rest });
const smoke = (nodes: Nodes, rest: object = {}) => recipeOf(nodes, { inputs: { x: 1 }, ...rest });
const body = (nodes: Nodes, rest: object = {}) => ({ body: { nodes: withIntents(nodes), ...rest }, next: 'done' });
const flowOf = (nodes: Nodes, rest: object = {}) => {
  const workflow = {
    entry: Object.keys(nodes)[0] ?? 'done',
    nodes: { ...withIntents(nodes), done: { action: 'end', status: 'pass' } },
  };
  return { version: 1, description: 'Does nothing much', ...rest, workflow };
};
const skipped = { action: 'command', argv: ['true'], when: never, ...claim };

describe('F52 a recipe without assertions', () => {
  const vacuous: Record<string, object> = {
    'an end node': smoke({}, { workflow: { entry: 'done' } }),
    'a wait': smoke({ a: { action: 'wait', duration_ms: 0, next: 'done' } }),
    'a command that may fail': smoke({ a: command({ allow_failure: true }) }),
    'a command whose failure is tolerated': smoke({ a: command({ rw: { on_fail: 'continue' } }) }),
    'a skipped node': smoke({ a: command({ when: never }) }),
    'a switch': smoke({ a: { action: 'switch', cases: [{ when: never, next: 'done' }], default: 'done' } }),
    'a watch_logs without "contains"': smoke({ a: { action: 'watch_logs', path: 'a.recipe.json', next: 'done' } }),
    'a flow that only ends': smoke(
      { a: { action: 'call', ref: 'f.nothing', next: 'done' } },
      { flows: { 'f.nothing': flowOf({}) } },
    ),
    'an rw.each without items': claimed({
      a: { action: 'rw.each', items: [], ...body({ b: { action: 'command', argv: ['true'], ...claim } }) },
    }),
    'a claim whose node asserts nothing': claimed({ a: command({ proofTarget: 'AC1' }) }),
    'a claim whose assertion is skipped': claimed({ a: { ...skipped, next: 'done' } }),
    'a claim on a branch that does not run': claimed({
      a: { action: 'switch', cases: [{ when: never, next: 'b' }], default: 'c' },
      b: command(claim),
      c: command(),
    }),
    'a claim on an edge that does not fire': claimed({
      a: {
        action: 'rw.dag',
        ...body({ b: command({ next: undefined }), c: skipped }, { edges: [{ from: 'b', to: 'c', when: never }] }),
      },
    }),
    'a claim that no node serves': claimed({ a: command({ assert: ok }) }),
    'a blocked claim': claimed(
      { a: command({ assert: ok }) },
      { proofTargets: [{ id: 'AC1', claim: 'It holds.', blocked: 'no device' }] },
    ),
    'a claim of a manual node without an answer': claimed({ a: { action: 'manual', proofTarget: 'AC1', next: 'done' } }),
    'a claim with an artifact and no assertion': claimed({
      a: { action: 'index_artifacts', artifacts: ['a.recipe.json'], proofTarget: 'AC1', next: 'done' },
    }),
  };

  test.for(Object.entries(vacuous))('a recipe with only %s is unknown', async ([, recipe]) => {
    const { summary, exitCode, refused } = await runExtended(recipe);
    expect([summary.status, exitCode, refused]).toEqual(['unknown', 1, []]);
  });

  test('a recipe passes when its command asserts the claim, or when it has no claims and its command can fail', async () => {
    expect((await runExtended(claimed({ a: command(claim) }))).summary.status).toBe('pass');
    expect((await runExtended(smoke({ a: command() }))).summary.status).toBe('pass');
  });
});

describe('F53 assertions that cannot fail', () => {
  const kinds: readonly unknown[] = [undefined, null, true, 3, 'abc', '', [1, 2, 3], { a: 1, b: 2, c: 3 }];
  // The columns are: missing, null, true, a number, a string, the empty string, an array, an object.
  const table: readonly (readonly [operator: string, operand: unknown, holds: string])[] = [
    ['exists', undefined, '01111111'],
    ['not_null', undefined, '00111111'],
    ['truthy', undefined, '00111011'],
    ['falsy', undefined, '11000100'],
    ['eq', 3, '00010000'],
    ['neq', 3, '01101111'],
    ['deep_eq', [1, 2, 3], '00000010'],
    ['gt', 2, '00010000'],
    ['gte', 3, '00010000'],
    ['lt', 4, '00010000'],
    ['lte', 3, '00010000'],
    ['contains', 'b', '00001000'],
    ['not_contains', 'b', '00000110'],
    ['matches', 'b', '00001000'],
    ['one_of', [3, 'abc'], '00011000'],
    ['length_eq', 3, '00001011'],
    ['length_gt', 2, '00001011'],
    ['length_gte', 3, '00001011'],
    ['length_lt', 1, '00000100'],
    ['length_lte', 0, '00000100'],
  ];
  const atom = (operator: string, value: unknown) => ({ operator, path: '$.x', ...(value === undefined ? {} : { value }) });
  const over = (value: unknown) => ({
    find: () => (value === undefined ? { found: false as const } : { found: true as const, value }),
    param: () => ({ found: false as const }),
  });

  test('the 20 operators have the pinned results for 8 kinds of values', () => {
    const cells = table.map(([operator, operand]) =>
      kinds.map((kind) => Number(evaluateAssertion(atom(operator, operand), over(kind)).held)).join(''),
    );
    expect(cells).toEqual(table.map(([, , holds]) => holds));
    expect(cells.join('')).toHaveLength(160);
  });

  test('"none" with a missing value holds only for exists', () => {
    const holding = table.filter(
      ([operator, operand]) => evaluateAssertion({ none: [atom(operator, operand)] }, over(undefined)).held,
    );
    expect(holding.map(([operator]) => operator)).toEqual(['exists']);
  });

  test.for([
    { all: [] },
    { any: [] },
    { none: [] },
    { path: '$.stdout', operator: 'contains', value: '' },
    { path: '$.stdout', operator: 'matches', value: '' },
    { path: '$.stdout', operator: 'matches', value: '.*' },
    { path: '$.stdout', operator: 'length_gte', value: 0 },
    { path: '$.stdout', operator: 'eq' },
    { operator: 'exists' },
    { all: [ok, { any: [] }] },
  ])('an assertion that cannot fail is refused: %j', async (assert) => {
    const { exitCode, refused } = await runExtended(smoke({ a: command({ assert }) }));
    expect([exitCode, refused.length]).toEqual([2, 1]);
  });
});

describe('F56 a proof that produces its own result', () => {
  const cheat = ownAction('shop.credit', () => ({ output: { balance: 100 } }), { effect: 'backdoor' });
  const setup = defineSetup({ actions: [cheat, ownAction('shop.look', () => ({ output: { balance: 100 } }))] });
  const paid = { path: '$.balance', operator: 'eq', value: 100 };
  const look = (next = 'done') => ({ action: 'shop.look', assert: paid, proofTarget: 'AC1', next });
  const credit = (rest: object = {}) => ({ action: 'shop.credit', next: 'look', ...rest });
  const inside = (action: string, rest: object = {}) => ({
    ...{ action, proofTarget: 'AC1', ...rest },
    ...body({ c: { action: 'shop.credit' } }),
    next: 'look',
  });
  const call = (rest: object = {}) => ({ action: 'call', ref: 'f.credit', next: 'look', ...rest });
  const flows = { 'f.credit': flowOf({ c: credit({ next: 'done' }) }) };
  const deep = { ...flows, 'f.outer': flowOf({ go: call({ next: 'done' }) }) };
  const proving = { 'f.credit': flowOf({ c: credit({ next: 'done' }) }, { defaultPhase: 'proof' }) };

  test.for([
    ['in the phase proof', { c: credit({ phase: 'proof' }), look: look() }, {}],
    ['in the phase assert', { c: credit({ phase: 'assert' }), look: look() }, {}],
    ['when it serves a claim', { c: credit({ proofTarget: 'AC1' }), look: look() }, {}],
    ['when it has an assertion', { c: credit({ assert: paid }), look: look() }, {}],
    ['after the first node of the proof', { look: look('c'), c: credit({ phase: 'setup', next: 'done' }) }, {}],
    ['in a flow that serves the claim', { c: call({ proofTarget: 'AC1' }), look: look() }, { flows }],
    [
      'in a flow of a flow that serves the claim',
      { c: call({ ref: 'f.outer', proofTarget: 'AC1' }), look: look() },
      { flows: deep },
    ],
    ['in a flow with the default phase proof', { c: call(), look: look() }, { flows: proving }],
    ['in an rw.group', { c: inside('rw.group', { order: 'in_turn' }), look: look() }, {}],
    ['in an rw.each', { c: inside('rw.each', { items: [1] }), look: look() }, {}],
    ['in an rw.dag', { c: inside('rw.dag'), look: look() }, {}],
  ] as const)('a backdoor is refused %s', async ([, nodes, rest]) => {
    const { refused, exitCode, everything } = await runExtended(claimed(nodes as unknown as Nodes, rest), { setup });
    expect({ refused: new Set(refused), exitCode }).toEqual({ refused: new Set(['workflow.backdoor_in_proof']), exitCode: 2 });
    expect(everything()).toBe('');
  });

  test('a backdoor is allowed before the proof', async () => {
    const prepared = { workflow: { setup: [{ action: 'shop.credit', intent: 'Give the buyer some credit' }] } };
    expect((await runExtended(claimed({ look: look() }, prepared), { setup })).summary.status).toBe('pass');
    expect((await runExtended(claimed({ c: credit(), look: look() }), { setup })).summary.status).toBe('pass');
  });
});
