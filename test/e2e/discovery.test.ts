import { execFileSync } from 'node:child_process';
import { filesBelow } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

const native = { 'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native test', () => undefined);\n" };

test('recipes run although the config ignores node_modules, where their shims lie', async ({ project }) => {
  const run = await project(
    { ...native, 'recipes/a.recipe.json': sound() },
    { config: { testIgnore: '**/node_modules/**' } },
  ).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/a']);
});

test('every file the pattern matches is a test of its own, whatever it is called', async ({ project }) => {
  const names = [
    'plain.json',
    'plain.recipe.json',
    'a..b.recipe.json',
    'a_b.recipe.json',
    "it's é ✓.recipe.json",
    'UPPER.RECIPE.json',
  ];
  const files = Object.fromEntries(names.map((name) => [`recipes/${name}`, sound(name)]));
  const run = await project(files, { recipes: { recipes: 'recipes/*.json' } }).run();
  expect(
    testsIn(run.report)
      .map(({ title }) => title)
      .sort(),
  ).toEqual([...names].sort());
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: names.length, failed: 0 });
  expect(run.packages.size).toBe(names.length);
});

test('the package works where it is installed, whatever the folder is called', async ({ project }) => {
  const run = await project({ 'recipes/a.recipe.json': sound() }, { installedIn: 'no. #1 %20' }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/a']);
});

test('a recipe whose name has spaces is selected by it', async ({ project }) => {
  const run = await project({ ...native, 'recipes/empty the cart.recipe.json': sound() }).run([
    'recipes/empty the cart.recipe.json',
  ]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
});

test('a recipe is selected by any of its lines', async ({ project }) => {
  const run = await project({ ...native, 'recipes/a.recipe.json': sound(), 'recipes/b.recipe.json': sound() }).run([
    'recipes/b.recipe.json:12',
  ]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/b']);
});

test('recipes are named from the folder of the config when the native specs have a folder of their own', async ({ project }) => {
  const { exitCode, stdout } = await project(
    { ...native, 'recipes/a.recipe.json': sound('Sound') },
    { config: { testDir: './tests' } },
  ).run(['--list', '--reporter=list']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('  [recipes] › recipes/a.recipe.json:3:3 › Sound\n');
});

test('a recipe outside of the folder of the config keeps its package among the others', async ({ project }) => {
  const inner = project({ ...native, '../shared/a.recipe.json': sound() }, { recipes: { recipes: '../shared/*.recipe.json' } });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
  expect(run.packages.size).toBe(1);
  const packages = filesBelow(`${inner.dir}/..`).filter((file) => file.endsWith('summary.json'));
  expect(packages).toEqual([expect.stringMatching(/^project-1\/recipe-results\/[^.]/)]);
});

test('a fixture that nobody declares fails one recipe, and the others still run', async ({ project }) => {
  const setup = `
    import { defineAction, defineSetup } from 'recipewright';
    import { z } from 'zod';
    const run = () => ({});
    export default defineSetup({ actions: [defineAction({ name: 'lab.use', description: 'x', schema: z.strictObject({}), examples: [], effect: 'reads', needs: ['nowhere'], run })] });
  `;
  const using = {
    ...sound('Using'),
    validate: {
      workflow: {
        entry: 'a',
        nodes: { a: { action: 'lab.use', intent: 'Use it', next: 'b' }, b: { action: 'end', status: 'pass' } },
      },
    },
  };
  const run = await project({
    'recipes.setup.ts': setup,
    'recipes/a.recipe.json': using,
    'recipes/b.recipe.json': sound(),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(run.stdout).toContain('nowhere');
});

test('with --only-changed the recipe that changed is the one that runs', async ({ project }) => {
  const inner = project({
    ...native,
    '.gitignore': 'node_modules\n',
    'recipes/a.recipe.json': sound(),
    'recipes/b.recipe.json': sound(),
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], { cwd: inner.dir });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  inner.write({ 'recipes/b.recipe.json': sound('Changed') });
  const run = await inner.run(['--only-changed']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/b']);
});
