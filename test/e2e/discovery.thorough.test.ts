import { execFileSync } from 'node:child_process';
import { filesBelow } from '../support/packages.js';
import { sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const native = { 'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native test', () => undefined);\n" };

const names = [
  'plain.json',
  'plain.recipe.json',
  'a..b.recipe.json',
  'a_b.recipe.json',
  "it's é ✓.recipe.json",
  'UPPER.RECIPE.json',
];
const runOdd = shareRun(
  {
    ...native,
    ...Object.fromEntries(names.map((name) => [`recipes/${name}`, sound(name)])),
    '../shared/a.recipe.json': sound('Outside'),
  },
  {
    config: { testIgnore: '**/node_modules/**' },
    recipes: { recipes: ['recipes/*.json', '../shared/*.recipe.json'] },
    installedIn: 'no. #1 %20',
  },
);

test('recipes run although the config ignores node_modules, where their shims are, and with the package in any folder', async ({
  project,
}) => {
  const { run } = await runOdd(project);
  // The native test, and one recipe outside the folder of the config.
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: names.length + 2, failed: 0 });
  expect(run.packages.size).toBe(names.length + 1);
});

test('every file that matches the pattern is a test, whatever its name', async ({ project }) => {
  const { run } = await runOdd(project);
  const found = testsIn(run.report).filter(({ file }) => file.startsWith('recipes/'));
  expect(found.map(({ title }) => title).sort()).toEqual([...names].sort());
  expect(found.every(({ ok }) => ok)).toBe(true);
  expect([...run.packages.keys()].filter((id) => id.startsWith('recipes/'))).toHaveLength(names.length);
});

test('a recipe outside the folder of the config has its package beside the other packages', async ({ project }) => {
  const { inner, run } = await runOdd(project);
  expect(testsIn(run.report)).toContainEqual(expect.objectContaining({ title: 'Outside', ok: true }));
  const packages = filesBelow(`${inner.dir}/..`).filter((file) => file.endsWith('summary.json'));
  expect(packages).toHaveLength(names.length + 1);
  for (const file of packages) expect(file).toMatch(/^project-1\/recipe-results\/[^.]/);
});

test('a recipe is selected by its name, even with spaces, and by any of its lines', async ({ project }) => {
  const run = await project({
    ...native,
    'recipes/a.recipe.json': sound(),
    'recipes/b.recipe.json': sound(),
    'recipes/empty the cart.recipe.json': sound(),
  }).run(['recipes/empty the cart.recipe.json', 'recipes/b.recipe.json:12']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/b', 'recipes/empty the cart']);
});

test('names of recipes are relative to the folder of the config even if the native specs have another folder', async ({
  project,
}) => {
  const { exitCode, stdout } = await project(
    { ...native, 'recipes/a.recipe.json': sound('Sound') },
    { config: { testDir: './tests' } },
  ).run(['--list', '--reporter=list']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('  [recipes] › recipes/a.recipe.json:3:3 › Sound\n');
});

test('a fixture that no test declares fails one recipe, and the other recipes still run', async ({ project }) => {
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

test('--only-changed runs the recipe that changed', async ({ project }) => {
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
