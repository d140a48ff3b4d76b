// init changes a project so that its recipes are tests, and changes nothing the second time.
import { describe, expect, test } from 'vitest';
import { type HostName, type Plan, planInit } from '../../../../src/cli/init/planInit.js';

function initOnce(host: HostName, files: Record<string, string>): { plan: Plan; after: Map<string, string> } {
  const after = new Map(Object.entries(files));
  const plan = planInit({ host, read: (file) => after.get(file) });
  for (const change of plan.changes) after.set(change.file, change.after);
  return { plan, after };
}

const playwrightProject = {
  'package.json': '{}',
  'playwright.config.ts': "import { defineConfig } from '@playwright/test';\nexport default defineConfig({});\n",
};

describe('a Playwright project', () => {
  test('init gives a Playwright project a config entry, a setup module, an example, an ignored folder and editor settings', () => {
    const { plan, after } = initOnce('playwright', playwrightProject);
    expect(plan.changes.map(({ file }) => file)).toEqual([
      'playwright.config.ts',
      'recipes.setup.ts',
      'recipes/example.recipe.json',
      '.gitignore',
      '.vscode/settings.json',
    ]);
    expect(after.get('playwright.config.ts')).toContain(
      "withRecipes(defineConfig({}), { recipes: 'recipes/**/*.{recipe,flows}.json'",
    );
    expect(plan.advice).toEqual([]);
  });

  test('init changes nothing the second time', () => {
    const { after } = initOnce('playwright', playwrightProject);
    expect(initOnce('playwright', Object.fromEntries(after)).plan).toMatchObject({ changes: [], advice: [] });
  });

  test('init keeps existing .gitignore entries and editor settings', () => {
    const files = {
      ...playwrightProject,
      '.gitignore': 'dist',
      '.vscode/settings.json': '{ "a": 1, "json.schemas": [{ "url": "x" }] }',
    };
    const { after } = initOnce('playwright', files);
    expect(after.get('.gitignore')).toBe('dist\nrecipe-results/\n');
    expect(JSON.parse(after.get('.vscode/settings.json') ?? '')).toMatchObject({
      a: 1,
      'json.schemas': [{ url: 'x' }, {}, {}, {}],
    });
  });

  test('init prints what to add when a file cannot be changed safely', () => {
    const files = { 'playwright.config.ts': 'export default {};\nrun();\n', '.vscode/settings.json': '{ // mine\n}' };
    const { plan } = initOnce('playwright', files);
    expect(plan.changes.map(({ file }) => file)).not.toContain('playwright.config.ts');
    expect(plan.advice.join('\n')).toContain('withRecipes(defineConfig({})');
    expect(plan.advice.join('\n')).toContain('recipe-v1.schema.json');
  });
});

describe('a Vitest project', () => {
  test('init adds its entry to vite.config when a Vitest project has no other config', () => {
    const { after } = initOnce('vitest', { 'vite.config.js': 'export default { root: "." };\n' });
    expect(after.get('vite.config.js')).toContain("from 'recipewright/vitest'");
    expect(after.get('vite.config.js')).toContain('withRecipes({ root: "." }, {');
  });

  test('init gives a Vitest project without a config one in the language of the project', () => {
    expect(initOnce('vitest', {}).after.get('vitest.config.mjs')).toContain('withRecipes(defineConfig({})');
    expect(initOnce('vitest', { 'tsconfig.json': '{}' }).after.has('recipes.setup.ts')).toBe(true);
  });
});
