import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { isAlive } from '../support/isAlive.js';
import { packageOf } from '../support/packages.js';
import { asyncFiles, templateEnv, templateFiles, templateOptions } from '../support/templates.js';
import { sharedRun, statusOf, vitestProject } from '../support/vitestProject.js';

const runOnce = sharedRun({ ...templateFiles, ...asyncFiles }, templateOptions, [], { env: templateEnv });

test('template recipes in JSON and Markdown are tests, with their steps, their inputs and their packages', async () => {
  const { project, ...run } = await runOnce();
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 3, skipped: 0 });
  expect(run.tests.map(({ file, title, status }) => [file, title, status]).sort()).toEqual([
    ['recipes/a-stays.template.json', 'a-stays', 'passed'],
    ['recipes/b-dies.template.json', 'b-dies', 'failed'],
    ['recipes/broken.template.md', 'broken.template.md is a valid recipe', 'failed'],
    ['recipes/greet.template.md', 'greet', 'passed'],
    ['recipes/last.template.json', 'last', 'failed'],
  ]);
  const messages = run.tests.flatMap((one) => one.messages).join('\n');
  expect(messages).toContain('template.invalid_front_matter');
  expect(messages).toContain('template/step-2');
  const greeted = packageOf(run, 'recipes/greet');
  expectWhole(greeted);
  expect(greeted.files).toEqual(expect.arrayContaining(['source.md', 'artifacts/said.txt']));
  expect(readFileSync(join(project.dir, 'said.txt'), 'utf8')).toBe('hello');
  expect(packageOf(run, 'recipes/last').summary.status).toBe('fail');
});

test('a missing value is reported before anything runs', async () => {
  const { 'recipes/broken.template.md': _, 'recipes/last.template.json': __, ...files } = templateFiles;
  const run = await vitestProject(files, templateOptions).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expect(run.tests[0]?.messages.join('\n')).toContain('RECIPE_INPUT_WORD');
});

test('Vitest waits for an async recipe, ends the processes it left running, and reports it as unknown when its process dies', async () => {
  const { project, ...run } = await runOnce();
  expect(['a-stays', 'b-dies'].map((id) => statusOf(run, `recipes/${id}.template.json`))).toEqual(['passed', 'failed']);
  expectWhole(packageOf(run, 'recipes/a-stays'));
  expect(isAlive(Number(readFileSync(join(project.dir, 'stays.pid'), 'utf8')))).toBe(false);
  expect(packageOf(run, 'recipes/b-dies').summary).toMatchObject({
    status: 'unknown',
    interruptedAt: ['template', 'template/step-2'],
  });
});
