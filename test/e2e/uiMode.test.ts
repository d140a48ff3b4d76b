// UI mode as a person uses it: the tree of tests, a run, and the source of the steps.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPackages } from '../support/packages.js';
import { eventMs } from '../support/patience.js';
import { expect, test } from '../support/project.js';
import { exit, hears, recipe, say, sound } from '../support/recipe.js';
import { openUiMode } from '../support/uiMode.js';

const file = 'recipes/deep/broken.recipe.json';

test('UI mode lists recipes below their JSON, runs one, and shows the source of the node that failed', async ({ project }) => {
  const nodes = {
    speak: say('hello'),
    listen: hears('speak', 'hello', { proofTarget: 'AC1' }),
    leave: exit(3, { intent: 'Leave the shop in anger' }),
  };
  const inner = project({
    'recipes/sound.recipe.json': sound(),
    [file]: recipe(nodes, { title: 'Leaves the shop', targets: ['AC1'] }),
    'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native one', () => {});\n",
  });
  const { page, show, close } = await openUiMode(inner.dir);
  const tree = page.getByTestId('test-tree');
  await show('recipes');
  await expect(tree.getByRole('treeitem')).toHaveText([
    /recipes/,
    /deep/,
    /broken\.recipe\.json/,
    /Leaves the shop/,
    /sound\.recipe\.json/,
    /A sound recipe/,
    /tests/,
    /native\.spec\.ts/,
    /a native one/,
  ]);

  const lines = readFileSync(join(inner.dir, file), 'utf8').split('\n');
  const lineWith = (text: string): RegExp => new RegExp(`^${lines.findIndex((line) => line.includes(text)) + 1}\\s*${text}`);
  await tree.getByText('Leaves the shop').click();
  await expect(page.locator('.source-tab-file-name')).toHaveText('broken.recipe.json');
  await expect(page.locator('.source-line-running')).toHaveText(lineWith('"title"'));

  await page.keyboard.press('Enter');
  const step = page.getByTestId('actions-tree').getByText('Leave the shop in anger');
  await step.click({ timeout: eventMs });
  await expect(page.locator('.source-tab-file-name')).toHaveText('broken.recipe.json');
  await expect(page.locator('.source-line-running, .source-line-error').first()).toHaveText(lineWith('"leave": {'));
  await expect(tree.getByRole('treeitem', { name: '[icon-error] Leaves the shop' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('ui-mode.png') });
  await close();
  expect(readPackages(join(inner.dir, 'recipe-results')).get('recipes/deep/broken')?.summary).toMatchObject({ status: 'fail' });
});
