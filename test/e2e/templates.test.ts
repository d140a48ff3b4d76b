import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { isAlive } from '../support/isAlive.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { testsIn } from '../support/report.js';
import { asyncFiles, templateEnv, templateFiles, templateOptions } from '../support/templates.js';

test('template recipes are tests with steps, inputs and packages, and an async recipe leaves no process running', async ({
  project,
}) => {
  const inner = project({ ...templateFiles, ...asyncFiles }, templateOptions);
  const run = await inner.run([], { env: templateEnv });
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 3, skipped: 0 });
  expect(
    testsIn(run.report)
      .map(({ file, title }) => `${file} ${title}`)
      .sort(),
  ).toEqual([
    'recipes/a-stays.template.json a-stays',
    'recipes/b-dies.template.json b-dies',
    'recipes/broken.template.md broken.template.md is a valid recipe',
    'recipes/greet.template.md greet',
    'recipes/last.template.json last',
  ]);
  expect(run.stdout).toContain('template.invalid_front_matter');
  const greeted = packageOf(run, 'recipes/greet');
  expectWhole(greeted);
  expect(greeted.files).toEqual(expect.arrayContaining(['source.md', 'artifacts/said.txt']));
  expect(readFileSync(join(inner.dir, 'said.txt'), 'utf8')).toBe('hello');
  const last = packageOf(run, 'recipes/last');
  expect(last.summary.status).toBe('fail');
  const step = last.trace.find(({ nodeId }) => nodeId === 'template/step-2');
  expect(step).toMatchObject({ intent: 'the last check', output: { argv: ['false'], exitCode: 1, stdout: '', stderr: '' } });

  expectWhole(packageOf(run, 'recipes/a-stays'));
  expect(isAlive(Number(readFileSync(join(inner.dir, 'stays.pid'), 'utf8')))).toBe(false);
  // The process of the recipe dies.
  expect(packageOf(run, 'recipes/b-dies').summary).toMatchObject({
    status: 'unknown',
    interruptedAt: ['template', 'template/step-2'],
  });
});
