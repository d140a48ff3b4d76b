import { expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe, sound } from '../support/recipe.js';

const pages = await servePages();

test('a headless recipe passes where no browser can start, and a UI recipe beside it is unknown', async ({ project }) => {
  const ui = recipe({ open: { action: 'ui.navigate', url: pages.url('hello') } }, { title: 'Needs a page' });
  const missing = { launchOptions: { executablePath: '/no/such/browser' } };
  const run = await project(
    { 'recipes/headless.recipe.json': sound(), 'recipes/ui.recipe.json': ui },
    { config: { use: missing } },
  ).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  const headless = packageOf(run, 'recipes/headless');
  expectWhole(headless);
  expect(headless.summary).toMatchObject({ status: 'pass' });
  const visible = packageOf(run, 'recipes/ui');
  expectManifest(visible);
  expect(visible.summary).toMatchObject({
    status: 'unknown',
    cause_class: 'environment',
    total: 0,
    recipe: { id: 'recipes/ui' },
  });
  expect(visible.summary.reason).toContain('/no/such/browser');
  expect(visible.trace).toEqual([]);
  expect(visible.files).toContain('recipe.json');
});
