// F27: a run whose worker dies fails in every file that it writes.
import { expect, test } from 'vitest';
import { expectChain, expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { body, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { sharedRun, statusOf } from '../support/vitestProject.js';

const setup = setupFile(
  {
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.abort': 'process.abort();',
    // Vitest replaces only process.exit.
    'lab.leave': 'process.reallyExit(0);',
    'lab.exit': 'process.exit(0);',
    'lab.quick': 'over(); return { output: 1 };',
    'lab.hang': 'await new Promise(() => undefined);',
    // One turn of the event loop later, the quick action has ended.
    'lab.kill_later': "await quick; await new Promise(setImmediate); process.kill(process.pid, 'SIGKILL');",
  },
  'let over; const quick = new Promise((done) => { over = done; });',
);

const dying = (action: string) =>
  recipe({ before: say('alive'), last: { action }, after: say('never') }, { title: action, teardown: [say('bye')] });
const children = body({ quick: { action: 'lab.quick' }, slow: { action: 'lab.hang' }, killer: { action: 'lab.kill_later' } });

// Exit code 0 looks most like a normal end, so no other worker dies in this run.
const leaving = sharedRun({
  'recipes.setup.js': setup,
  'recipes/a-lab.leave.recipe.json': dying('lab.leave'),
  'recipes/b.recipe.json': sound(),
});
const others = sharedRun(
  {
    'recipes.setup.js': setup,
    'recipes/a-lab.kill.recipe.json': dying('lab.kill'),
    'recipes/a-lab.abort.recipe.json': dying('lab.abort'),
    'recipes/asks.recipe.json': dying('lab.exit'),
    'recipes/children.recipe.json': recipe({ both: { action: 'rw.group', order: 'together', body: children } }),
    'recipes/b.recipe.json': sound(),
  },
  { test: { maxWorkers: 2 } },
);

test.for([
  ['lab.kill', 'SIGKILL', others, 4],
  ['lab.abort', 'SIGABRT', others, 4],
  ['lab.leave', 'code 0', leaving, 1],
] as const)(
  'F27 a worker that dies by %s is red in every output file, and the package names the node',
  async ([action, how, runOnce, red]) => {
    const run = await runOnce();
    const id = `recipes/a-${action}`;
    expect(run).toMatchObject({ exitCode: 1, success: false, passed: 1, failed: red });
    expect([statusOf(run, `${id}.recipe.json`), statusOf(run, 'recipes/b.recipe.json')]).toEqual(['failed', 'passed']);
    expect(run.junit).toMatch(new RegExp(`<testsuites [^>]*failures="${red}"`));
    const { totals, resolutions } = run.suite ?? {};
    const all = red + 1;
    expect(totals).toMatchObject({ declared: all, executed: all, passed: 1, failed: 0, unknown: red, skipped: 0 });
    expect(resolutions?.map((one) => one.id)).toEqual(expect.arrayContaining([id, 'recipes/b']));
    expect(resolutions).toHaveLength(all);
    const found = packageOf(run, id);
    expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown', interruptedAt: ['last'] });
    expect(found.summary.reason).toContain('interrupted at last: the test failed');
    // Vitest 4 does not report the exit code.
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
    expect(run.stdout).toMatch(new RegExp(`unknown +${id}`));
  },
);

test('F27 an action that asks the worker to exit is a fault of the harness, with its teardown', async () => {
  const run = await others();
  expect(run).toMatchObject({ exitCode: 1, success: false });
  expect(statusOf(run, 'recipes/asks.recipe.json')).toBe('failed');
  const found = packageOf(run, 'recipes/asks');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect(found.summary.reason).toContain('process.exit');
  expect(found.trace.at(-1)).toMatchObject({ phase: 'teardown', ok: true });
});

test('F27 a worker that dies during parallel children leaves a record of each child', async () => {
  const run = await others();
  expect(run.exitCode).toBe(1);
  expect(statusOf(run, 'recipes/children.recipe.json')).toBe('failed');
  const found = packageOf(run, 'recipes/children');
  expectChain(found);
  expect(found.summary).toMatchObject({ status: 'unknown', interruptedAt: ['both', 'both/slow', 'both/killer'] });
});
