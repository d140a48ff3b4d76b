// A worker that dies inside one node is in faultsEnds.test.ts.
import { expectChain, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { body, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const setup = setupFile(
  {
    // The test reaches its timeout while the node hangs and ignores its signal.
    'lab.hang': 'test.info().setTimeout(1); await new Promise(() => undefined);',
    'lab.quick': 'over(); return { output: 1 };',
    'lab.slow': 'await new Promise(() => undefined);',
    // One turn of the event loop later, the quick action has ended.
    'lab.kill_after_quick': "await quick; await new Promise(setImmediate); process.kill(process.pid, 'SIGKILL');",
  },
  "import { test } from '@playwright/test';\nlet over; const quick = new Promise((done) => { over = done; });",
);

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
  'recipes/d-parallel.recipe.json': recipe({ both: { action: 'rw.group', order: 'together', body: children } }),
  'recipes/e-hanging.recipe.json': hanging,
  'recipes/f.recipe.json': sound(),
});

test('the package of a worker that dies during parallel children contains each child', async ({ project }) => {
  const { run } = await runAll(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  expect([...run.packages.keys()].sort()).toEqual(['recipes/d-parallel', 'recipes/e-hanging', 'recipes/f']);
  const found = packageOf(run, 'recipes/d-parallel');
  expectChain(found);
  expect(found.summary).toMatchObject({ status: 'unknown', interruptedAt: ['both', 'both/slow', 'both/killer'] });
  expect(found.trace[0]).toMatchObject({ nodeId: 'both/quick', ok: true, output: 1 });
});

test('after a test timeout in an action that ignores its signal, the teardown runs, the verdict is unknown and the journal is closed', async ({
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
