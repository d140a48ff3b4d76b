// The behaviour that the tests of the reference implementation require (reference 6, list A 1–20), except what needs a page.
// Other files have the rest: 3 (the runner in packages) is in test/unit/evidence, 16 in test/unit/cli. 8, 18 (HUD), 19 (ui.scroll) and
// 20 (extension ids) need a page.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPackage } from '../../../src/evidence/readPackage.js';
import { definePrecondition, defineSetup } from '../../../src/registry/setup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const echo = (text: string, rest: object = {}) => ({ action: 'command', argv: ['echo', text], next: 'done', ...rest });
const flowOf = (nodes: Nodes, rest: object = {}) => {
  const workflow = { entry: Object.keys(nodes)[0], nodes: { ...withIntents(nodes), done: { action: 'end', status: 'pass' } } };
  return { version: 1, description: 'Writes a word', ...rest, workflow };
};
const call = (ref: string, rest: object = {}) => ({ action: 'call', ref, next: 'done', ...rest });
const written = { write: echo('{{params.word}}') };
const paramsSchema = { type: 'object', required: ['word'], properties: { word: { type: 'string' }, loud: { type: 'boolean' } } };

test('1 the package of a headless recipe has recipe, summary, trace and manifest, and no findings', async () => {
  const recipe = recipeOf({ smoke: echo('ok') });
  const { root, read } = await runExtended(recipe);
  for (const name of ['summary', 'trace', 'artifact-manifest']) expect(JSON.parse(read(`out/${name}.json`) ?? '')).toBeTruthy();
  expect(JSON.parse(read('out/recipe.json') ?? '')).toEqual(recipe);
  expect(readPackage(join(root, 'out')).findings).toEqual([]);
});

test('2 the trace is an array, and its entries have the authored intent', async () => {
  const { read } = await runExtended(recipeOf({ smoke: echo('ok', { intent: 'Run the smoke test of the API' }) }));
  expect(JSON.parse(read('out/trace.json') ?? '')).toMatchObject([
    { nodeId: 'smoke', intent: 'Run the smoke test of the API' },
    {},
  ]);
});

// The reference implementation adds an entry `teardown:end`. Our trace has only nodes that the author wrote.
test('4 the life cycle runs setup, start state, graph and teardown, with the ids of the author', async () => {
  const step = (id: string | undefined, text: string) => ({
    ...(id ? { id } : {}),
    action: 'command',
    intent: `Say ${text} aloud`,
    argv: ['echo', text],
  });
  const workflow = { setup: [step('setup-command', 'a')], teardown: [step('teardown-command', 'd')] };
  const { ids } = await runExtended(recipeOf({ proof: echo('c') }, { startState: step(undefined, 'b'), workflow }));
  expect(ids).toEqual(['setup-command', 'startState', 'proof', 'done', 'teardown-command']);
});

test('5 preconditions run first, in order, as pre_conditions:<id>, and their params reach the checker', async () => {
  const seen: unknown[] = [];
  const gate = (id: string) => definePrecondition({ id, description: id, check: (params) => seen.push(params) > 0 });
  const pre_conditions = [{ id: 'wallet.unlocked', params: { account: 1 } }, 'app.ready'];
  const { ids } = await runExtended(recipeOf({ proof: echo('c') }, { workflow: { pre_conditions } }), {
    setup: defineSetup({ preconditions: [gate('app.ready'), gate('wallet.unlocked')] }),
  });
  expect(ids).toEqual(['pre_conditions:wallet.unlocked', 'pre_conditions:app.ready', 'proof', 'done']);
  expect(seen).toEqual([{ account: 1 }, {}]);
});

// The reference implementation writes a package with status fail. We refuse the recipe with exit code 2, because nothing could be checked.
test('6 a recipe with a precondition without a checker is refused, and no node runs', async () => {
  const { refused, everything } = await runExtended(
    recipeOf({ proof: echo('c') }, { workflow: { pre_conditions: ['app.ready'] } }),
  );
  expect(refused).toEqual(['recipe.precondition_not_declared_by_manifest']);
  expect(everything()).toBe('');
});

test('7 the nodes of an inline flow run as children of its call', async () => {
  const recipe = recipeOf(
    { 'call-flow': call('shop.write', { params: { word: 'a' } }) },
    { flows: { 'shop.write': flowOf(written, { paramsSchema }) } },
  );
  expect((await runExtended(recipe)).ids).toEqual(['call-flow/write', 'call-flow/done', 'call-flow', 'done']);
});

test('9 a flow of a catalog has params, a gate on $.params that skips a node, and a postcondition', async () => {
  const nodes = {
    write: echo('{{params.word}}', { next: 'shout' }),
    shout: echo('LOUD', { when: { path: '$.params.loud', operator: 'eq', value: true } }),
  };
  const postcondition = { path: '$.outputs.write.exitCode', operator: 'eq', value: 0 };
  const catalog = {
    schema_version: 1,
    kind: 'recipe-flow-catalog',
    flows: { 'shop.write': flowOf(nodes, { paramsSchema, postcondition }) },
  };
  const files = { 'flows/shop.flows.json': JSON.stringify(catalog) };
  const recipe = recipeOf(
    { go: call('shop.write', { params: { word: 'a', loud: false } }) },
    { uses: ['flows/shop.flows.json'] },
  );
  const { trace, summary } = await runExtended(recipe, { files });
  expect(summary.status).toBe('pass');
  expect(trace[1]).toMatchObject({ nodeId: 'go/shout', ok: true, output: { skipped: true, reason: 'when predicate was false' } });
});

// The reference implementation finds a cycle during the run. We refuse the recipe before the run.
test('10 nested calls nest their ids, and a cycle of calls is refused', async () => {
  const flows = { 'shop.outer': flowOf({ 'call-child': call('shop.inner') }), 'shop.inner': flowOf({ write: echo('a') }) };
  const recipe = recipeOf({ 'call-parent': call('shop.outer') }, { flows });
  expect((await runExtended(recipe)).ids[0]).toBe('call-parent/call-child/write');
  const cycle = recipeOf({ go: call('shop.a') }, { flows: { 'shop.a': flowOf({ again: call('shop.a') }) } });
  expect((await runExtended(cycle)).refused).toEqual(['flow.call_cycle']);
});

// The reference implementation fails during the run. We refuse a missing param before the run.
test('11 a call without a required param is refused, and a postcondition that does not hold fails the run', async () => {
  const flows = {
    'shop.write': flowOf(written, { paramsSchema, postcondition: { path: '$.exitCode', operator: 'eq', value: 1 } }),
  };
  expect((await runExtended(recipeOf({ go: call('shop.write') }, { flows }))).refused[0]).toBe('workflow.invalid_call_params');
  const { summary, exitCode } = await runExtended(recipeOf({ go: call('shop.write', { params: { word: 'a' } }) }, { flows }));
  expect([summary.status, exitCode]).toEqual(['fail', 1]);
});

// 12 is in teardown.test.ts, and 13 in operatorsAndState.test.ts.
test('14 an undeclared action has one finding for each use in graph, start state, setup and teardown', async () => {
  const odd = { action: 'shop.odd', intent: 'Do an odd thing' };
  const recipe = recipeOf({ go: { ...odd, next: 'done' } }, { startState: odd, workflow: { setup: [odd], teardown: [odd] } });
  const { refused } = await runExtended(recipe);
  expect(refused).toEqual(Array.from({ length: 4 }, () => 'recipe.action_not_declared_by_manifest'));
});

test('15 a command that exits with 7 fails the run', async () => {
  const { summary, trace } = await runExtended(recipeOf({ go: { action: 'command', cmd: 'exit 7', next: 'done' } }));
  expect(summary).toMatchObject({ status: 'fail', failed: 1 });
  expect(trace[0]).toMatchObject({ ok: false, output: { exitCode: 7 } });
});

test('17 a package without its manifest has a finding, and readPackage does not throw', async () => {
  const { root } = await runExtended(recipeOf({ smoke: echo('ok') }));
  rmSync(join(root, 'out/artifact-manifest.json'));
  expect(readPackage(join(root, 'out')).findings.map(({ code }) => code)).toEqual(['artifact_package.missing_manifest']);
});
