// A run can never look green by dying: F27, in every file that the run leaves.
import { expect, test } from 'vitest';
import { expectChain, expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { body, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = setupFile({
  'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
  'lab.abort': 'process.abort();',
  // Vitest only stands in the way of process.exit.
  'lab.leave': 'process.reallyExit(0);',
  'lab.exit': 'process.exit(0);',
});

const dying = (action: string) =>
  recipe({ before: say('alive'), last: { action }, after: say('never') }, { title: action, teardown: [say('bye')] });

test.for([
  ['lab.kill', 'SIGKILL'],
  ['lab.abort', 'SIGABRT'],
  ['lab.leave', 'code 0'],
] as const)('F27 a worker that dies by %s is red in every output file, and the package names the node', async ([action, how]) => {
  const run = await vitestProject({
    'recipes.setup.ts': setup,
    'recipes/a-dying.recipe.json': dying(action),
    'recipes/b.recipe.json': sound(),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 1, failed: 1 });
  expect(run.junit).toMatch(/<testsuites [^>]*failures="1"/);
  const { totals, resolutions } = run.suite ?? {};
  expect(totals).toMatchObject({ declared: 2, executed: 2, passed: 1, failed: 0, unknown: 1, skipped: 0 });
  expect(resolutions?.map(({ id }) => id).sort()).toEqual(['recipes/a-dying', 'recipes/b']);
  const found = packageOf(run, 'recipes/a-dying');
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown', interruptedAt: ['last'] });
  expect(found.summary.reason).toContain('interrupted at last: the test failed');
  // Vitest 4 does not know it.
  if (run.stdout.includes('RUN  v5')) expect(found.summary.reason).toContain(how);
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true, output: { exitCode: 0, stdout: 'alive\n' } },
    { nodeId: 'last', ok: false, unfinished: true },
  ]);
  expect(found.lines.map(({ t, path }) => `${t} ${path}`)).toEqual(['run ', 'begin before', 'end before', 'begin last']);
  expectChain(found);
  expectManifest(found);
  expect(found.files).toEqual(expect.arrayContaining(['recipe.json', 'workflow.json']));
  expectWhole(packageOf(run, 'recipes/b'));
  expect(run.stdout).toMatch(/unknown +recipes\/a-dying/);
});

test('F27 an action that asks the worker to exit is a fault of the harness, with its teardown', async () => {
  const run = await vitestProject({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': dying('lab.exit') }).run();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 0, failed: 1 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect(found.summary.reason).toContain('process.exit');
  expect(found.trace.at(-1)).toMatchObject({ phase: 'teardown', ok: true });
});

test('F27 a worker that dies inside parallel children leaves every one of them on record, with the flows it uses', async () => {
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
  const run = await vitestProject({
    'recipes.setup.js': actions,
    'recipes/dying.recipe.json': recipe({ both: { action: 'rw.group', order: 'together', body: children } }),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  const found = packageOf(run, 'recipes/dying');
  expectChain(found);
  expect(found.summary).toMatchObject({ status: 'unknown', interruptedAt: ['both', 'both/slow', 'both/killer'] });
});
