// The index names the branches, flows, catalogs and actions that no recipe of a suite uses, also after a merge of shards.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sound } from '../support/recipe.js';
import { expect, shareRun, test } from '../support/sharedProject.js';
import { unusedParts, unusedPaths } from '../support/unusedParts.js';

test.describe.configure({ mode: 'default' });

const options = { recipes: { recipes: 'recipes/*.recipe.json', setup: './recipes.setup.ts' } };
const pathsIn = (dir: string): string => {
  const text = readFileSync(join(dir, 'recipe-results/index.md'), 'utf8');
  return text.slice(text.indexOf('## Paths'));
};

const runWhole = shareRun({ ...unusedParts, 'recipes/b.recipe.json': sound() }, options);
// The second recipe uses one action more.
const expected = unusedPaths.replace('actions: 5 of 6', 'actions: 6 of 7');

test('a branch, a flow, a whole catalog and an action of the project that nothing uses are in index.md', async ({ project }) => {
  const { inner, run } = await runWhole(project);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2 });
  expect(pathsIn(inner.dir)).toBe(expected);
});

test('the coverage in index.md is the same after shards are merged', async ({ project }) => {
  const { inner } = await runWhole(project);
  inner.move('recipe-results', 'direct');
  for (const shard of [1, 2]) {
    const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, `blobs/${shard}.zip`) };
    expect(await inner.run([`--shard=${shard}/2`, '--reporter=blob'], { env })).toMatchObject({ exitCode: 0 });
  }
  const merged = await inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  expect(merged).toMatchObject({ exitCode: 0, stderr: '' });
  expect(pathsIn(inner.dir)).toBe(expected);
});
