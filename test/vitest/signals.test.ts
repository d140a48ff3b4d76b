// F25: whoever ends the run still gets the packages, within 3 seconds, and none of them is green.
import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = setupFile({
  'lab.wait':
    "console.log('it waits'); await new Promise((done) => context.signal.addEventListener('abort', done)); return { output: {} };",
  'lab.hang': "console.log('it waits'); await new Promise(() => undefined);",
});

test.for([
  ['SIGTERM', 143, 'lab.wait'],
  ['SIGHUP', 129, 'lab.wait'],
  ['SIGINT', 130, 'lab.wait'],
  ['SIGTERM', 143, 'lab.hang'],
] as const)('F25 %s ends the run with %i inside %s, its teardown and its package', async ([signal, exitCode, action]) => {
  const waiting = recipe({ before: say('alive'), last: { action }, after: say('never') }, { teardown: [say('bye')] });
  const project = vitestProject(
    { 'recipes.setup.js': setup, 'recipes/a.recipe.json': waiting, 'recipes/b.recipe.json': sound() },
    { test: { maxWorkers: 1, disableConsoleIntercept: true } },
  );
  const { child, ended, sees } = project.start(['run']);
  await sees('it waits');
  const began = performance.now();
  child.kill(signal);
  const end = await ended;
  const run = project.after(end);
  expect(performance.now() - began).toBeLessThan(3_000);
  expect({ exitCode: run.exitCode, signal: run.signal }).toEqual({ exitCode, signal: null });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true },
    { nodeId: 'last', ok: false },
    { nodeId: 'teardown:0', ok: true },
  ]);
  const { declared, passed, failed, unknown, skipped } = run.suite?.totals ?? {};
  expect([declared, failed, (passed ?? 0) + (unknown ?? 0) + (skipped ?? 0)]).toEqual([2, 0, 2]);
  expect(run.success).not.toBe(true);
});
