// Recipes that a spec registers by itself, in a project whose config knows nothing of them.
import { expect, type Project, test } from '../support/project.js';
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
const ours = ['recipewright/playwright/reporter'];

test('a run without the reporter says once that nothing is kept', async ({ project }) => {
  const registered = spec("recipes('../recipes/*.recipe.json');");
  const told = (inner: Project, ...args: string[]) =>
    inner.run(args).then(({ stderr, stdout }) => `${stderr}${stdout}`.match(/keeps no evidence/g));
  const without = project({ ...config([['list']]), ...registered, ...documents });
  // The worker of the recipe that fails is followed by another one.
  expect(await told(without)).toHaveLength(1);
  const inNative = spec(
    "import { test as own } from 'recipewright/playwright';\nown('n', ({ recipe }) => recipe.run('b.recipe.json'));",
  );
  expect(await told(project({ ...config([['list']]), ...inNative, ...documents }))).toHaveLength(1);
  expect(await told(project({ ...config([['list'], ours]), ...registered, ...documents }))).toBeNull();
  // Whoever merges the blob writes the packages.
  expect(await told(without, '--reporter=blob,list')).toBeNull();
  expect(await told(project({ ...config([['list'], ['blob']]), ...registered, ...documents }))).toBeNull();
});

test('a project of recipes alone says so, too, and not who asked for other reporters', async ({ project }) => {
  const alone = `import { recipeProject } from 'recipewright/playwright';\nexport default { reporter: 'list', projects: [recipeProject()] };\n`;
  const unnamed = await project({ 'playwright.config.ts': alone, 'recipes/b.recipe.json': sound() }).run();
  expect(unnamed).toMatchObject({ exitCode: 0 });
  expect(`${unnamed.stderr}${unnamed.stdout}`.match(/keeps no evidence/g)).toHaveLength(1);
  const replaced = await project({ 'recipes/b.recipe.json': sound() }).run(['--reporter=list']);
  expect(replaced).toMatchObject({ exitCode: 0, stderr: '' });
  expect(replaced.stdout).not.toContain('keeps no evidence');
});

test('recipes() in test.describe() says why a recipe with secrets cannot be there, and where it can', async ({ project }) => {
  const secret = recipe(
    { speak: say('hello', { env: { T: '{{t}}' } }), listen: hears('speak', 'hello') },
    { inputs: { t: { type: 'secret-ref', ref: 'env:T' } } },
  );
  const inner = project({
    ...config([['list'], ours]),
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
  inner.write(spec("recipes('../recipes/*.recipe.json');"));
  expect(await inner.run([], { env })).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  // Without secrets it may stand there.
  inner.write({
    'recipes/secret.recipe.json': sound(),
    ...spec("test.describe('all', () => recipes('../recipes/*.recipe.json'));"),
  });
  expect(await inner.run()).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
});
