// Recipes that a spec registers, in a project whose config has no recipes.
import { join } from 'node:path';
import { readPackages } from '../support/packages.js';
import { expect, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';

const spec = (body: string) => ({
  'tests/all.spec.ts': `import { test } from '@playwright/test';\nimport { recipes } from 'recipewright/playwright';\n${body}\n`,
});
const config = (reporter: unknown[]) => ({
  'playwright.config.ts': `export default { workers: 1, reporter: ${JSON.stringify([['json', { outputFile: 'report.json' }], ...reporter])} };\n`,
});
const documents = {
  'recipes/a-fails.recipe.json': recipe({ speak: say('hello'), listen: hears('speak', 'goodbye') }),
  'recipes/b.recipe.json': sound(),
  'recipes/c.recipe.json': sound(),
};
const ownReporter = ['recipewright/playwright/reporter'];

test('a run without the reporter writes the same packages for recipes of a config and of a spec', async ({ project }) => {
  const statuses = (run: Run) => [...run.packages].map(([name, { summary }]) => `${name} ${summary.status}`).sort();
  const registered = spec("recipes('../recipes/*.recipe.json');");
  const without = await project({ ...config([['list']]), ...registered, ...documents }).run();
  expect(without).toMatchObject({ exitCode: 1, stderr: '' });
  expect(statuses(without)).toEqual(['recipes/a-fails fail', 'recipes/b pass', 'recipes/c pass']);
  const alone = `import { recipeProject } from 'recipewright/playwright';\nexport default { reporter: 'list', projects: [recipeProject()] };\n`;
  const unnamed = await project({ 'playwright.config.ts': alone, 'recipes/b.recipe.json': sound() }).run();
  expect(unnamed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(statuses(unnamed)).toEqual(['recipes/b pass']);
});

test('the output directory of the reporter in the config applies even when the command line names other reporters', async ({
  project,
}) => {
  const files = {
    'playwright.config.ts': `import { recipeProject } from 'recipewright/playwright';
      export default { reporter: [['recipewright/playwright/reporter', { outputDir: 'evidence' }]], projects: [recipeProject()] };`,
    'recipes/b.recipe.json': sound(),
  };
  for (const type of ['module', 'commonjs'] as const) {
    const inner = project(files, { type });
    expect(await inner.run(['--reporter=line'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect([...readPackages(join(inner.dir, 'evidence')).keys()], type).toEqual(['recipes/b']);
  }
});

test('recipes() in test.describe() refuses a recipe with secrets, and says where the call belongs', async ({ project }) => {
  const secret = recipe(
    { speak: say('hello', { env: { T: '{{t}}' } }), listen: hears('speak', 'hello') },
    { inputs: { t: { type: 'secret-ref', ref: 'env:T' } } },
  );
  const inner = project({
    ...config([['list'], ownReporter]),
    'recipes/secret.recipe.json': secret,
    ...spec("test.describe('all', () => recipes('../recipes/*.recipe.json'));"),
  });
  const env = { T: 'open-sesame-4711' };
  const refused = await inner.run([], { env });
  expect(refused).toMatchObject({ exitCode: 1, passed: 0 });
  expect(refused.stdout).toContain('recipes/secret has secrets');
  expect(refused.stdout).toContain('Call recipes() at the top level of the file.');
  expect(refused.stdout).toContain('all.spec.ts:3');
  expect(refused.stdout).not.toContain('Cannot use({');
  // A recipe without secrets is allowed.
  inner.write({
    ...spec("recipes('../recipes/*.recipe.json');"),
    'open/sound.recipe.json': sound(),
    'tests/inside.spec.ts': `import { test } from '@playwright/test';
      import { recipes } from 'recipewright/playwright';
      test.describe('all', () => recipes('../open/*.recipe.json'));`,
  });
  const run = await inner.run([], { env });
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2 });
  expect([...run.packages.keys()].sort()).toEqual(['open/sound', 'recipes/secret']);
});
