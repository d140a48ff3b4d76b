import { expect, test } from 'vitest';
import { packageOf } from '../support/packages.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { indexIn } from '../support/staleTree.js';
import { vitestProject } from '../support/vitestProject.js';

const claiming = (id: string, title: string) =>
  recipe({ speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: id }) }, { title, targets: [id] });

const files = {
  'recipes/a.recipe.json': claiming('AC1', 'Buys a mug'),
  'recipes/b.recipe.json': claiming('AC (2)', 'Buys a kettle'),
  'recipes/deep/c.recipe.json': sound('Buys nothing'),
};

test('recipes are selected by tag, by file and by any of their lines, and the index names the selection', async () => {
  const project = vitestProject(files);
  const ran = async (...args: string[]) => {
    const run = await project.run(args);
    expect({ args, exitCode: run.exitCode, stderr: run.stderr }).toEqual({ args, exitCode: 0, stderr: '' });
    const titles = run.tests.filter(({ status }) => status === 'passed').map(({ title }) => title);
    return [...titles.sort(), indexIn(project.dir).html];
  };
  const one = (args: string) => `1 of 3 recipes passed, 2 not run (${args})`;
  expect(await ran('--tags-filter=AC-2-')).toEqual(['Buys a kettle', one('--tags-filter=AC-2-')]);
  expect((await ran('--tags-filter=recipe && !AC1'))[0]).toEqual('Buys a kettle');
  expect(await ran('recipes/deep')).toEqual(['Buys nothing', one('recipes/deep')]);
  // The first line of one recipe, and a later line of another.
  const lines = await ran('recipes/a.recipe.json:3', 'recipes/b.recipe.json:14');
  expect(lines).toEqual([
    'Buys a kettle',
    'Buys a mug',
    '2 of 3 recipes passed, 1 not run (recipes/a.recipe.json:3 recipes/b.recipe.json:14)',
  ]);
});

test('a list names every recipe at its place, runs none, and does not load the setup module', async () => {
  const project = vitestProject({ ...files, 'recipes.setup.ts': 'throw new Error("the setup module was loaded");\n' });
  const { ended } = project.start(['list', '--json=list.json']);
  expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
  const listed = JSON.parse(project.read('list.json')) as {
    name: string;
    file: string;
    location: { line: number; column: number };
  }[];
  expect(listed.map(({ name, file, location }) => [name, file.slice(project.dir.length + 1), location]).sort()).toEqual([
    ['Buys a kettle', 'recipes/b.recipe.json', { line: 3, column: 3 }],
    ['Buys a mug', 'recipes/a.recipe.json', { line: 3, column: 3 }],
    ['Buys nothing', 'recipes/deep/c.recipe.json', { line: 3, column: 3 }],
  ]);
  // A test that runs reports the error of the setup module.
  const run = await project.run(['recipes/deep']);
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expect(run.tests[0]?.messages[0]).toContain('the setup module was loaded');
  expect(run.suite?.totals).toMatchObject({ declared: 3, passed: 0, unknown: 1, not_run: 2 });
});

test('a recipe in two projects has a package in each, and --project selects one', async () => {
  const project = vitestProject({
    'recipes/a.recipe.json': sound(),
    'vitest.config.ts': `
      import { recipes } from 'recipewright/vitest';
      import { defineConfig } from 'vitest/config';
      const project = (name: string) => ({ plugins: [recipes({ recipes: 'recipes/*.recipe.json' })], test: { name } });
      export default defineConfig({
        test: { projects: [project('one'), project('two')], reporters: ['default', ['json', { outputFile: 'report.json' }]] },
      });
    `,
  });
  const both = await project.run();
  expect(both).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
  expect([...both.packages.keys()].sort()).toEqual(['recipes/a--one', 'recipes/a--two']);
  expect(both.suite?.totals).toMatchObject({ declared: 2, passed: 2 });
  const one = await project.run(['--project=two']);
  expect(one).toMatchObject({ exitCode: 0, passed: 1, failed: 0 });
  expect(one.suite?.totals).toMatchObject({ declared: 2, passed: 1, not_run: 1 });
  expect(packageOf(one, 'recipes/a--two').summary.status).toBe('pass');
});
