// What a project gets so that recipes are tests in it, and that it gets it once.
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
  test('gets a config entry, a setup module, an example, an ignored folder and editor settings', () => {
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

  test('gets nothing the second time', () => {
    const { after } = initOnce('playwright', playwrightProject);
    expect(initOnce('playwright', Object.fromEntries(after)).plan).toMatchObject({ changes: [], advice: [] });
  });

  test('keeps what it ignores and what its editor knows', () => {
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

  test('is told what to add where a file cannot be changed safely', () => {
    const files = { 'playwright.config.ts': 'export default {};\nrun();\n', '.vscode/settings.json': '{ // mine\n}' };
    const { plan } = initOnce('playwright', files);
    expect(plan.changes.map(({ file }) => file)).not.toContain('playwright.config.ts');
    expect(plan.advice.join('\n')).toContain('withRecipes(defineConfig({})');
    expect(plan.advice.join('\n')).toContain('recipe-v1.schema.json');
  });
});

describe('a Vitest project', () => {
  test('gets its entry in vite.config when it has no other', () => {
    const { after } = initOnce('vitest', { 'vite.config.js': 'export default { root: "." };\n' });
    expect(after.get('vite.config.js')).toContain("from 'recipewright/vitest'");
    expect(after.get('vite.config.js')).toContain('withRecipes({ root: "." }, {');
  });

  test('gets a config when it has none, in the language it is written in', () => {
    expect(initOnce('vitest', {}).after.get('vitest.config.mjs')).toContain('withRecipes(defineConfig({})');
    expect(initOnce('vitest', { 'tsconfig.json': '{}' }).after.has('recipes.setup.ts')).toBe(true);
  });
});
