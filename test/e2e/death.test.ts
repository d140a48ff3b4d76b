import { expectChain, expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { body, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const setup = setupFile(
  {
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.exit': 'process.exit(0);',
    // Whatever its limit was, the time of the test is over while the node hangs, deaf to its signal.
    'lab.hang': 'test.info().setTimeout(1); await new Promise(() => undefined);',
    'lab.quick': 'over(); return { output: 1 };',
    'lab.slow': 'await new Promise(() => undefined);',
    // A turn of the event loop later, the quick one has ended.
    'lab.kill_after_quick': "await quick; await new Promise(setImmediate); process.kill(process.pid, 'SIGKILL');",
  },
  "import { test } from '@playwright/test';\nlet over; const quick = new Promise((done) => { over = done; });",
);

const dying = (action: string) =>
  recipe({ before: say('alive'), last: { action }, after: say('never') }, { teardown: [say('bye')] });
const children = body({
  quick: { action: 'lab.quick' },
  slow: { action: 'lab.slow' },
  killer: { action: 'lab.kill_after_quick' },
});
const hanging = recipe(
  { before: say('alive'), last: { action: 'lab.hang' }, after: say('never') },
  { teardown: [say('bye'), say('and again')] },
);

const runAll = shareRun({
  'recipes.setup.ts': setup,
  'recipes/a-killed.recipe.json': dying('lab.kill'),
  'recipes/b-left.recipe.json': dying('lab.exit'),
  'recipes/c.recipe.json': sound(),
  'recipes/d-parallel.recipe.json': recipe({ both: { action: 'rw.group', order: 'together', body: children } }),
  'recipes/e-hanging.recipe.json': hanging,
  'recipes/f.recipe.json': sound(),
});

test('a worker that dies inside a node leaves an unknown package that names the node, and the next recipe passes', async ({
  project,
}) => {
  const { run } = await runAll(project);

  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 4 });
  expect([...run.packages.keys()].sort()).toEqual([
    ...['recipes/a-killed', 'recipes/b-left', 'recipes/c', 'recipes/d-parallel', 'recipes/e-hanging', 'recipes/f'],
  ]);
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
  const { run } = await runAll(project);
  const found = packageOf(run, 'recipes/d-parallel');
  expectChain(found);
  expect(found.summary).toMatchObject({ status: 'unknown', interruptedAt: ['both', 'both/slow', 'both/killer'] });
  expect(found.trace[0]).toMatchObject({ nodeId: 'both/quick', ok: true, output: 1 });
});

test('after a test timeout inside a deaf action the teardown ran, the verdict is unknown and the journal is closed', async ({
  project,
}) => {
  const { run } = await runAll(project);
  const found = packageOf(run, 'recipes/e-hanging');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true },
    { nodeId: 'last', ok: false, cause_class: 'unknown' },
    { nodeId: 'teardown:0', ok: true, phase: 'teardown', output: { stdout: 'bye\n' } },
    { nodeId: 'teardown:1', ok: true, phase: 'teardown', output: { stdout: 'and again\n' } },
  ]);
  expect(found.lines.at(-1)).toMatchObject({ t: 'end', path: '', ok: false, status: 'unknown' });
  expect(packageOf(run, 'recipes/f').summary.status).toBe('pass');
});
