import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

const setup = setupFile({ 'lab.close': 'await context.fixtures.page.context().browser().close(); return {};' }).replace(
  "effect: 'reads'",
  "effect: 'user', needs: ['page']",
);

const open = { action: 'ui.navigate', url: pages.url('<h1>Total 20</h1>') };

test('a page without the expected text refutes the claim, and a browser that was closed refutes nothing', async ({ project }) => {
  const see = { action: 'ui.wait_for', text: 'Total 21', timeout_ms: 1_000, proofTarget: 'AC1' };
  const run = await project({
    'recipes.setup.ts': setup,
    'recipes/a-unseen.recipe.json': recipe({ open, see }, { targets: ['AC1'] }),
    'recipes/b-gone.recipe.json': recipe({ open, close: { action: 'lab.close' }, see }, { targets: ['AC1'] }),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 2 });
  const [unseen, gone] = ['recipes/a-unseen', 'recipes/b-gone'].map((id) => packageOf(run, id));
  if (!unseen || !gone) throw new Error('Both have a package.');
  for (const found of [unseen, gone]) {
    expectWhole(found);
    // Playwright colors its call log.
    expect.soft(found.journal.join('\n')).not.toContain('\\u001b');
  }
  expect(unseen.summary).toMatchObject({
    status: 'fail',
    cause_class: 'subject',
    proof: [{ id: 'AC1', status: 'refuted', failed: 1 }],
  });
  expect(unseen.trace.at(-1)?.asserts).toMatchObject([{ expected: true, actual: false, held: false }]);
  expect.soft(unseen.summary.reason.split('\n')[0]).toContain('text "Total 21" is not present');
  expect(gone.summary).toMatchObject({
    status: 'unknown',
    cause_class: 'environment',
    proof: [{ id: 'AC1', status: 'unproven', failed: 0 }],
  });
});
