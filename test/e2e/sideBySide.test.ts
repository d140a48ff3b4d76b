import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

const pages = await servePages();

const page = pages.url('<h1 data-testid=total>Total 21</h1>');

const native = `
  import { expect, test } from '@playwright/test';
  test('a native test adds up', () => expect(1 + 1).toBe(2));
`;

test('recipes and a native spec run in one run, and each recipe has a complete package', async ({ project }) => {
  const headless = recipe(
    { speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: 'AC1' }) },
    { title: 'Greeting', targets: ['AC1'] },
  );
  const visible = recipe(
    {
      open: { action: 'ui.navigate', url: page },
      see: { action: 'ui.wait_for', test_id: 'total', text: 'Total 21', expected: 'visible', proofTarget: 'AC1' },
      keep: { action: 'ui.screenshot', path: 'screenshots/total.png', proofTarget: 'AC1' },
    },
    { title: 'Total', targets: ['AC1'] },
  );
  const files = {
    'tests/native.spec.ts': native,
    'recipes/greeting.recipe.json': headless,
    'recipes/shop/total.recipe.json': visible,
  };
  const run = await project(files).run();

  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0, flaky: 0, skipped: 0 });
  expect(testsIn(run.report).map(({ title, file }) => ({ title, file }))).toEqual([
    { title: 'a native test adds up', file: 'tests/native.spec.ts' },
    { title: 'Greeting', file: 'recipes/greeting.recipe.json' },
    { title: 'Total', file: 'recipes/shop/total.recipe.json' },
  ]);
  expect([...run.packages.keys()].sort()).toEqual(['recipes/greeting', 'recipes/shop/total']);
  for (const [id, document] of [
    ['recipes/greeting', headless],
    ['recipes/shop/total', visible],
  ] as const) {
    const found = packageOf(run, id);
    expectWhole(found);
    expect(found.summary).toMatchObject({ status: 'pass', reason: '1 of 1 claims proven', failed: 0, recipe: { id } });
    expect(JSON.parse(readFileSync(join(found.dir, 'recipe.json'), 'utf8'))).toEqual(document);
  }
  const system = ['artifact-manifest.json', 'journal.jsonl', 'recipe.json'];
  const fixedFiles = ['review.html', 'summary.json', 'trace.json', 'workflow.json'];
  expect(packageOf(run, 'recipes/greeting').files).toEqual([...system, ...fixedFiles]);
  // Beside the requested picture, there are the pictures of its proof window.
  expect(packageOf(run, 'recipes/shop/total').files).toEqual(
    expect.arrayContaining([...system, 'screenshots/total.png', ...fixedFiles]),
  );
  const picture = readFileSync(join(packageOf(run, 'recipes/shop/total').dir, 'screenshots/total.png'));
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
});

test('the example shop passes as a separate project, with native specs and recipes', async ({ copyOf }) => {
  const shop = copyOf('examples/shop');
  const recipes = filesBelow(join(shop.dir, 'recipes')).filter((file) => file.endsWith('.recipe.json'));
  const run = await shop.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).not.toMatch(/ \d+ (failed|flaky|skipped|did not run)/);
  expect(Number(/\n {2}(\d+) passed /.exec(run.stdout)?.[1])).toBeGreaterThan(recipes.length);
  const examples = ['recipes/shop.flows/shop.ensure_cart-1', 'recipes/shop.flows/shop.ensure_cart-2'];
  const ids = recipes.map((file) => `recipes/${file.replace('.recipe.json', '')}`);
  expect([...run.packages.keys()].sort()).toEqual([...ids, ...examples]);
  for (const found of run.packages.values()) {
    expectWhole(found);
    expect(found.summary.status).toBe('pass');
    expect(found.summary.proof.filter(({ status }) => status !== 'proven')).toEqual([]);
  }
  for (const id of ids) {
    expect(packageOf(run, id).summary.proof.length).toBeGreaterThan(0);
  }
  expect(packageOf(run, 'recipes/checkout').files).toContain('screenshots/AC1-order.png');
});
