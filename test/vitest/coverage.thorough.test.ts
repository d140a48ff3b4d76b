// What no recipe of a suite ever takes, calls or uses is named here as well.
import { expect, test } from 'vitest';
import { unusedParts, unusedPaths } from '../support/unusedParts.js';
import { vitestProject } from '../support/vitestProject.js';

test('a branch, a flow, a whole catalog and an action of the project that nothing uses are in index.md', async () => {
  const project = vitestProject(unusedParts, { recipes: { recipes: 'recipes/*.recipe.json', setup: './recipes.setup.ts' } });
  expect(await project.run()).toMatchObject({ exitCode: 0, passed: 1 });
  const text = project.read('recipe-results/index.md');
  expect(text.slice(text.indexOf('## Paths'))).toBe(unusedPaths);
});
