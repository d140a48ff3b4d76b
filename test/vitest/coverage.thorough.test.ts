// The index names the parts of a project that no recipe of a suite uses, in Vitest as in Playwright.
import { expect, test } from 'vitest';
import { unusedParts, unusedPaths } from '../support/unusedParts.js';
import { vitestProject } from '../support/vitestProject.js';

test('index.md names the branches, flows, catalogs and own actions that no recipe uses', async () => {
  const project = vitestProject(unusedParts, { recipes: { recipes: 'recipes/*.recipe.json', setup: './recipes.setup.ts' } });
  expect(await project.run()).toMatchObject({ exitCode: 0, passed: 1 });
  const text = project.read('recipe-results/index.md');
  expect(text.slice(text.indexOf('## Paths'))).toBe(unusedPaths);
});
