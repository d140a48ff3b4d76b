// Recipes in a Vitest config that has several projects.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sound } from '../support/recipe.js';
import { moduleFolder, startProgram } from '../support/runVitest.js';
import { indexIn } from '../support/staleTree.js';
import { vitestProject } from '../support/vitestProject.js';

const native = (name: string) => `
  import { appendFileSync } from 'node:fs';
  import { test } from 'vitest';
  test('${name}', () => appendFileSync('native.log', '${name} '));
`;

const nativeTests = { 'unit.test.ts': native('unit'), 'more.test.ts': native('more') };
const ownProjects = `
  { test: { name: 'unit', include: ['unit.test.ts'] } },
  { extends: true, test: { name: 'more', include: ['more.test.ts'] } },
`;
const options = "{ recipes: 'recipes/*.recipe.json' }";
const reporters = "reporters: ['default', ['json', { outputFile: 'report.json' }]]";

const config = (exported: string) => `
  import { recipes, withRecipes } from 'recipewright/vitest';
  import { defineConfig } from 'vitest/config';
  export default ${exported};
`;

const shapes = {
  'withRecipes around the config': `withRecipes(defineConfig({ test: { projects: [${ownProjects}], ${reporters} } }), ${options})`,
  'withRecipes around a function': `withRecipes(defineConfig(async () => ({ test: { projects: [${ownProjects}], ${reporters} } })), ${options})`,
  'the plugin beside the projects': `defineConfig({ plugins: [recipes(${options})], test: { projects: [${ownProjects}], ${reporters} } })`,
  'the plugin in a project of its own': `defineConfig({ test: {
    projects: [${ownProjects} { extends: true, plugins: [recipes(${options})], test: { name: 'recipes', include: [] } }],
    ${reporters},
  } })`,
};

/** Selections run with one config of withRecipes and one of the plugin; with RECIPEWRIGHT_ALL=1, with all configs. */
const isFull = process.env.RECIPEWRIGHT_ALL !== undefined;
const selecting = ['withRecipes around the config', 'the plugin in a project of its own'];

test.for(Object.keys(shapes) as (keyof typeof shapes)[])(
  'every recipe and every native test runs once beside other projects, and tags select recipes (%s)',
  async (shape) => {
    const project = vitestProject({
      ...nativeTests,
      'recipes/a.recipe.json': sound(),
      'vitest.config.ts': config(shapes[shape]),
    });
    const all = await project.run();
    expect(all).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
    expect([...all.packages.keys()]).toEqual(['recipes/a--recipes']);
    expect(project.read('native.log').trim().split(' ').sort()).toEqual(['more', 'unit']);
    if (!isFull && !selecting.includes(shape)) return;
    const tagged = await project.run(['--tags-filter=recipe && AC1']);
    expect(tagged).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0, skipped: 2 });
    const others = await project.run(['--project=unit']);
    expect(others).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
    expect(indexIn(project.dir)).toMatchObject({
      html: '0 of 1 recipes passed, 1 not run (--project=unit)',
      state: 'finished',
      recipes: { 'recipes/a--recipes': 'not_run' },
    });
  },
);

test('a run without filters that has no recipe fails, and the error names the globs and the root', async () => {
  const project = vitestProject(
    { 'unit.test.ts': native('unit'), 'recipes/a.recipe.json': sound() },
    { test: { exclude: ['**/node_modules/**', 'recipes/**'] } },
  );
  const none = await project.run();
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain(
    `No recipe is part of this run, although documents match ["recipes/**/*.recipe.json"] in ${project.dir}`,
  );
  const filtered = await project.run(['unit.test.ts']);
  expect(filtered).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
});

test('init adds recipes to a config with projects, and reports recipes as tests only if Vitest finds them', async () => {
  const project = vitestProject({
    ...nativeTests,
    'package.json': { name: 'inline', private: true, type: 'module', devDependencies: { vitest: '*' } },
    'vitest.config.ts': `import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { projects: [${ownProjects}], ${reporters} } });\n`,
  });
  const init = () => startProgram([join(moduleFolder('recipewright'), 'dist', 'cli.js'), 'init'], { cwd: project.dir }).ended;
  const first = await init();
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toContain('changed vitest.config.ts');
  const [, tried = ''] = /Try it:\n\s*npx vitest run (.*)/.exec(first.stdout) ?? [];
  const run = await project.run([tried]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  expect([...run.packages.keys()]).toEqual(['recipes/example--recipes']);
  expect((await init()).stdout).toContain('Nothing to change: recipes are already tests in this project.');
  // The import alone adds no recipes.
  project.write({ 'vitest.config.ts': config(`defineConfig({ test: { projects: [${ownProjects}] } })`) });
  const unused = await init();
  expect(unused).toMatchObject({ exitCode: 1, stderr: '' });
  expect(unused.stdout).not.toContain('Nothing to change');
  expect(unused.stdout).toContain('vitest.config.ts imports recipewright/vitest, but Vitest finds no recipe');
  expect(unused.stdout).toContain('withRecipes(');
});
