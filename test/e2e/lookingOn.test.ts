import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';

const pages = await servePages();
test.afterAll(() => pages.close());

const page = pages.url(
  '<script>console.error("the page is unhappy")</script><h1>Total 21</h1><button data-testid=go>Go</button>',
);
const seen = recipe(
  {
    open: { action: 'ui.navigate', url: page },
    press: { action: 'ui.press', test_id: 'go', proofTarget: 'AC1' },
    see: { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1', record: 'proof_window' },
  },
  { targets: ['AC1'] },
);

test('what a proof window shows is kept with its node and claim, and what the page said is on record', async ({ project }) => {
  const inner = project({ 'recipes/a.recipe.json': seen });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  const shots = found.manifest.artifacts.filter(({ type }) => type === 'screenshot');
  expect(shots.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['press', 'see']));
  expect(shots.every(({ proofTarget }) => proofTarget === 'AC1')).toBe(true);
  expect(JSON.stringify(found.lines)).toContain('the page is unhappy');
});

test('who wants no pictures says so in use, and a claim that is visible then has no proof', async ({ project }) => {
  const inner = project({ 'recipes/a.recipe.json': seen }, { recipes: { use: { recipeOptions: { record: false } } } });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, failed: 1 });
  const found = packageOf(run, 'recipes/a');
  expect(found.manifest.artifacts.filter(({ type }) => type === 'screenshot')).toEqual([]);
  expect(found.summary).toMatchObject({ status: 'unknown', proof: [{ status: 'unproven' }] });
});

test('packages that are larger than the budget are told of, and pass all the same', async ({ project }) => {
  const reporter = ['recipewright/playwright/reporter', { sizeBudgetMb: 0 }];
  const run = await project({ 'recipes/a.recipe.json': seen }, { config: { reporter: [['list'], reporter] } }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toMatch(/The packages of this run hold \d+ MB, more than the budget of 0 MB\./);
});
