import { expectChain, expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { body, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const setup = setupFile(
  {
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.exit': 'process.exit(0);',
    // Whatever its limit was, the time of the test is over while the node hangs, deaf to its signal.
    'lab.hang': 'test.info().setTimeout(1); await new Promise(() => undefined);',
  },
  "import { test } from '@playwright/test';",
);

test('a worker that dies inside a node leaves an unknown package that names the node, and the next recipe passes', async ({
  project,
}) => {
  const dying = (action: string) =>
    recipe({ before: say('alive'), last: { action }, after: say('never') }, { teardown: [say('bye')] });
  const files = {
    'recipes/a-killed.recipe.json': dying('lab.kill'),
    'recipes/b-left.recipe.json': dying('lab.exit'),
    'recipes/c.recipe.json': sound(),
  };
  const run = await project({ 'recipes.setup.ts': setup, ...files }).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  expect([...run.packages.keys()].sort()).toEqual(['recipes/a-killed', 'recipes/b-left', 'recipes/c']);
  for (const [id, how] of [
    ['recipes/a-killed', 'SIGKILL'],
    ['recipes/b-left', 'code=0'],
  ] as const) {
    const found = packageOf(run, id);
    expect(found.summary).toMatchObject({
      status: 'unknown',
      cause_class: 'unknown',
      interruptedAt: ['last'],
      total: 2,
      passed: 1,
      failed: 1,
    });
    expect(found.summary.reason).toContain('interrupted at last: the test failed');
    expect(found.summary.reason).toContain(how);
    expect(found.trace).toMatchObject([
      { nodeId: 'before', ok: true, output: { exitCode: 0, stdout: 'alive\n' } },
      { nodeId: 'last', ok: false, unfinished: true, cause_class: 'unknown' },
    ]);
    expect(found.lines.map(({ t, path }) => `${t} ${path}`)).toEqual(['run ', 'begin before', 'end before', 'begin last']);
    expectChain(found);
    expectManifest(found);
    expect(found.files).toContain('recipe.json');
  }
  expectWhole(packageOf(run, 'recipes/c'));
  expect(packageOf(run, 'recipes/c').summary.status).toBe('pass');
});

test('a worker that dies inside parallel children leaves every one of them on record', async ({ project }) => {
  const actions = setupFile(
    {
      'lab.quick': 'over(); return { output: 1 };',
      'lab.hang': 'await new Promise(() => undefined);',
      // A turn of the event loop later, the quick one has ended.
      'lab.kill': "await quick; await new Promise(setImmediate); process.kill(process.pid, 'SIGKILL');",
    },
    'let over; const quick = new Promise((done) => { over = done; });',
  );
  const children = body({ quick: { action: 'lab.quick' }, slow: { action: 'lab.hang' }, killer: { action: 'lab.kill' } });
  const dying = recipe({ both: { action: 'rw.group', order: 'together', body: children } });
  const run = await project({ 'recipes.setup.ts': actions, 'recipes/dying.recipe.json': dying }).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  const found = packageOf(run, 'recipes/dying');
  expectChain(found);
  expect(found.summary).toMatchObject({ status: 'unknown', interruptedAt: ['both', 'both/slow', 'both/killer'] });
  expect(found.trace[0]).toMatchObject({ nodeId: 'both/quick', ok: true, output: 1 });
});

test('after a test timeout inside a deaf action the teardown ran, the verdict is unknown and the journal is closed', async ({
  project,
}) => {
  const hanging = recipe(
    { before: say('alive'), last: { action: 'lab.hang' }, after: say('never') },
    { teardown: [say('bye'), say('and again')] },
  );
  const files = { 'recipes.setup.ts': setup, 'recipes/a-hanging.recipe.json': hanging, 'recipes/b.recipe.json': sound() };
  const run = await project(files).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  const found = packageOf(run, 'recipes/a-hanging');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true },
    { nodeId: 'last', ok: false, cause_class: 'unknown' },
    { nodeId: 'teardown:0', ok: true, phase: 'teardown', output: { stdout: 'bye\n' } },
    { nodeId: 'teardown:1', ok: true, phase: 'teardown', output: { stdout: 'and again\n' } },
  ]);
  expect(found.lines.at(-1)).toMatchObject({ t: 'end', path: '', ok: false, status: 'unknown' });
  expect(packageOf(run, 'recipes/b').summary.status).toBe('pass');
});
