import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { exit, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

// Counts its visits in a file, and passes at the requested visit.
const visits = setupFile(
  {
    'lab.visit': `
      const file: string = join(context.projectRoot, 'visits.txt');
      appendFileSync(file, 'x');
      const visits = readFileSync(file, 'utf8').length;
      const artifacts = [{ path: 'logs/visit.txt', type: 'log', body: Buffer.from(String(visits)) }];
      if (visits < fields.until) return { output: { visits }, artifacts, failure: new RecipeError('lab.early', 'action', 'Visit ' + visits + ' is too early.') };
      return { output: { visits }, artifacts };
    `,
  },
  "import { appendFileSync, readFileSync } from 'node:fs';\nimport { join } from 'node:path';",
);

test('recipes are tests beside native tests, each attempt has a package, the run has a suite, and there are no other files', async () => {
  const project = vitestProject({
    'recipes.setup.ts': visits,
    'recipes/flaky.recipe.json': recipe({ visit: { action: 'lab.visit', until: 3 } }, { title: 'Flaky' }),
    'recipes/a.recipe.json': sound(),
    'native.test.ts': "import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(2));\n",
  });
  const run = await project.run(['--retry=2', '--reporter=verbose', '--reporter=json', '--outputFile=report.json']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0, success: true });
  expect(run.tests.find(({ title }) => title === 'A sound recipe')).toMatchObject({ file: 'recipes/a.recipe.json', line: 3 });
  // The command line replaces the reporters of the config, but packages are still written.
  expectWhole(packageOf(run, 'recipes/a'));
  expect(packageOf(run, 'recipes/a').summary).toMatchObject({ status: 'pass', host: { name: 'vitest' } });
  expect(run.suite?.totals).toMatchObject({ declared: 2, passed: 2 });
  for (const intent of ['Perform speak', 'Perform listen']) expect(run.stdout).toContain(`↳ ${intent} for the test`);
  expect(run.stdout).toContain('AC1 proven: The claim of AC1 holds.');
  expect(existsSync(join(project.dir, '.vitest-attachments'))).toBe(false);
  expect(existsSync(join(project.dir, 'node_modules/.cache/recipewright/vitest'))).toBe(true);
  expect(project.list('node_modules/.cache/recipewright/vitest')).toEqual([]);

  // Every attempt has its own package.
  const names = ['.attempts/recipes/flaky/0', '.attempts/recipes/flaky/1', 'recipes/flaky'];
  expect([...run.packages.keys()].sort()).toEqual([...names, 'recipes/a'].sort());
  const attempts = names.map((name) => packageOf(run, name));
  for (const found of attempts) expectWhole(found);
  expect(attempts.map(({ summary }) => summary.status)).toEqual(['fail', 'fail', 'pass']);
  expect(attempts.map(({ trace }) => trace[0]?.output)).toEqual([{ visits: 1 }, { visits: 2 }, { visits: 3 }]);
  expect(attempts.map(({ lines }) => lines[0]?.attempt)).toEqual([0, 1, 2]);
  expect(attempts.every(({ files }) => files.includes('logs/visit.txt'))).toBe(true);
  expect(run.stdout).toMatch(/flaky +recipes\/flaky/);

  const again = await project.run(['--retry=2']);
  expect(again).toMatchObject({ exitCode: 0, passed: 3 });
  expect([...again.packages.keys()].sort()).toEqual(['recipes/a', 'recipes/flaky']);
  expect(again.stdout).toMatch(/pass +recipes\/flaky/);
});

test('a failing node and a finding are shown at their lines, and the other recipes run', async () => {
  const project = vitestProject({
    'recipes/a.recipe.json': sound(),
    'recipes/failing.recipe.json': recipe({ speak: say('hello'), leave: exit(3), never: say('x') }, { title: 'Fails' }),
    'recipes/invalid.recipe.json': '{ "schema_version": 1,\n  "title": "Invalid",\n  "validate": {} }\n',
    'recipes/torn.recipe.json': '{ "schema_version": 1,\n  "title": \n',
  });
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3, success: false });
  const text = run.stdout + run.stderr;
  const line = project.lineOf('recipes/failing.recipe.json', '"leave": {');
  expect(text).toContain(`❯ leave · command recipes/failing.recipe.json:${line}:9`);
  expect(text).toMatch(new RegExp(`${line}\\| {9}"leave": \\{\\n\\s+\\| {9}\\^`));
  expect(text).toContain('✓ Perform speak for the test (speak · command)\n✗ Perform leave for the test (leave · command)');
  expect(text).toContain('❯ recipe recipes/invalid.recipe.json:3:3');
  expect(text).toContain('recipe.missing_workflow');
  expect(text).toMatch(/❯ recipe recipes\/torn\.recipe\.json:\d+:\d+/);
  expect(run.tests.map(({ title, status, line }) => [title, status, line])).toEqual([
    ['A sound recipe', 'passed', 3],
    ['Fails', 'failed', 3],
    ['Invalid', 'failed', 2],
    ['torn.recipe.json is a valid recipe', 'failed', 1],
  ]);
  const failing = packageOf(run, 'recipes/failing');
  expectWhole(failing);
  expect(failing.summary).toMatchObject({ status: 'fail', cause_class: 'subject', total: 2, passed: 1, failed: 1 });
  expect([...run.packages.keys()].sort()).toEqual(['recipes/a', 'recipes/failing']);
  expect(run.suite?.totals).toMatchObject({ declared: 4, executed: 2, passed: 1, failed: 1, unknown: 2 });
  expect(JSON.stringify(run.suite)).toContain('is required here. [recipe.missing_workflow]');
});
