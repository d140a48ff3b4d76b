import { join } from 'node:path';
import { findStep, readHtmlReport } from '../support/htmlReport.js';
import { servePages } from '../support/pages.js';
import { expect, type Files, type Project, type ProjectOptions, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

// The tests share the run whose report they read.
test.describe.configure({ mode: 'default' });

const pages = await servePages();

const shop = {
  'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native test', () => undefined);\n",
  'recipes/checkout.recipe.json': sound('Checkout'),
  'recipes/cart/fill.recipe.json': sound('Fill the cart'),
  'recipes/cart/empty.recipe.json': sound('Empty the cart'),
};

test('a recipe is selected by its file name, its folder and the line of its title', async ({ project }) => {
  const { run } = project(shop);
  const byNameAndLine = await run(['checkout.recipe.json', 'recipes/cart/empty.recipe.json:3']);
  expect(byNameAndLine).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0, skipped: 0 });
  expect(testsIn(byNameAndLine.report).map(({ title }) => title)).toEqual(['Empty the cart', 'Checkout']);
  expect([...byNameAndLine.packages.keys()].sort()).toEqual(['recipes/cart/empty', 'recipes/checkout']);

  const byFolder = await run(['recipes/cart']);
  expect(byFolder).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0, skipped: 0 });
  expect(testsIn(byFolder.report).map(({ title }) => title)).toEqual(['Empty the cart', 'Fill the cart']);
});

test('the list of tests shows every recipe at the place of its title', async ({ project }) => {
  const minified = JSON.stringify(sound('In one line'));
  const { exitCode, stdout, stderr, packages } = await project({ ...shop, 'recipes/minified.recipe.json': minified }).run([
    '--list',
    '--reporter=list',
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'Listing tests:',
    '  tests/native.spec.ts:2:1 › a native test',
    '  [recipes] › recipes/cart/empty.recipe.json:3:3 › Empty the cart',
    '  [recipes] › recipes/cart/fill.recipe.json:3:3 › Fill the cart',
    '  [recipes] › recipes/checkout.recipe.json:3:3 › Checkout',
    `  [recipes] › recipes/minified.recipe.json:1:${minified.indexOf('"title"') + 1} › In one line`,
    'Total: 5 tests in 5 files',
    '',
  ]);
  expect(packages.size).toBe(0);
});

const failing = recipe(
  { speak: say('hello'), listen: hears('speak', 'goodbye', { intent: 'Hear a goodbye', proofTarget: 'AC1' }) },
  { title: 'Farewell', targets: ['AC1'] },
);
const paged = recipe({
  open: { action: 'ui.navigate', url: pages.url('<button data-testid=go>Go</button>'), intent: 'Open the page' },
  press: { action: 'ui.press', test_id: 'go', intent: 'Press the button' },
  never: say('never', { intent: 'Say nothing', when: { source: 'press', path: '$.clicked', operator: 'eq', value: false } }),
});
const helper = `
    type Opened = {
      title: string;
    };
    const helper = {
      async open(page: import('@playwright/test').Page, url: string): Promise<Opened> {
        await page.goto(url);
        return { title: await page.title() };
      },
    };`;
const setup = setupFile(
  { 'shop.open': "return { output: await context.call(helper, 'open', context.fixtures.page, fields.url) };" },
  helper,
).replace("effect: 'reads'", "effect: 'reads', needs: ['page']");

type Shown = { dir: string; run: Run; html: ReturnType<typeof readHtmlReport> };
let shared: Promise<Shown> | undefined;

/** Reads the report early, because the first test removes the project. */
function runShown(project: (files: Files, options: ProjectOptions) => Project): Promise<Shown> {
  shared ??= (async () => {
    const reporter = [['list'], ['html'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']];
    const inner = project(
      {
        'recipes.setup.ts': setup,
        'recipes/farewell.recipe.json': failing,
        'recipes/helped.recipe.json': recipe({
          open: { action: 'shop.open', url: pages.url('Hello'), intent: 'Open the page' },
        }),
        'recipes/page.recipe.json': paged,
      },
      { config: { reporter } },
    );
    const run = await inner.run();
    return { dir: inner.dir, run, html: readHtmlReport(join(inner.dir, 'playwright-report/index.html')) };
  })();
  return shared;
}

test('a failed node is shown at its line of the JSON, with a code frame and its path in the graph', async ({ project }) => {
  const { dir, run } = await runShown(project);
  const text = JSON.stringify(failing, null, 2).split('\n');
  const line = text.findIndex((each) => each.includes('"listen": {')) + 1;

  expect(run).toMatchObject({ exitCode: 1, stderr: '', passed: 2, failed: 1 });
  expect(run.stdout).toContain(
    `  1) [recipes] › recipes/farewell.recipe.json:3:3 › Farewell @recipe @AC1 › Run the recipe › Hear a goodbye \n`,
  );
  expect(run.stdout).toContain('speak $ expected contains "goodbye", received "hello\\n".');
  expect(run.stdout).toContain(`    > ${line} | ${text[line - 1]}\n`);
  expect(run.stdout).toContain(`at listen · assert_output (${join(dir, 'recipes/farewell.recipe.json')}:${line}:9)`);
  const failed = testsIn(run.report).find(({ ok }) => !ok);
  expect(failed?.results[0]?.errors[0]?.location).toEqual({
    file: join(dir, 'recipes/farewell.recipe.json'),
    line,
    column: 9,
  });
  expect(run.packages.get('recipes/farewell')?.summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
});

test('steps in the HTML report show snippets of the JSON, and so do the page calls inside a node', async ({ project }) => {
  const { html } = await runShown(project);
  const file = html.find(({ fileName }) => fileName === 'recipes/page.recipe.json');
  expect(file).toMatchObject({ tests: [{ title: 'A recipe of the tests', location: { line: 3, column: 3 } }] });
  const steps = file?.tests[0]?.results[0]?.steps ?? [];
  const text = JSON.stringify(paged, null, 2).split('\n');
  const placeOf = (id: string) => ({
    file: 'recipes/page.recipe.json',
    line: text.findIndex((each) => each.includes(`"${id}": {`)) + 1,
    column: 9,
  });
  for (const [id, title, call, words] of [
    ['open', 'Open the page', /^Navigate/, '127.0.0.1'],
    ['press', 'Press the button', /^Click/, 'test id "go"'],
  ] as const) {
    const step = findStep(steps, title);
    expect(step).toMatchObject({ location: placeOf(id), subtitle: expect.stringContaining(`${id} · ui.`) });
    expect(step.snippet).toContain(`"${id}"`);
    const inside = findStep(step.steps, call);
    expect(inside.location).toEqual(placeOf(id));
    expect(inside.snippet).toContain(`"${id}"`);
    expect(inside.subtitle).toContain(words);
  }
  expect(findStep(steps, 'Say nothing (skipped: when predicate was false)')).toMatchObject({
    skipped: true,
    location: placeOf('never'),
  });
});

test('a page call in a helper of the project is shown at its line of the helper', async ({ project }) => {
  const { html } = await runShown(project);
  const file = html.find(({ fileName }) => fileName === 'recipes/helped.recipe.json');
  const node = findStep(file?.tests[0]?.results[0]?.steps ?? [], 'Open the page');
  const line = setup.split('\n').findIndex((text) => text.includes('page.goto')) + 1;
  expect(findStep(node.steps, /^Navigate/).location).toMatchObject({ file: 'recipes.setup.ts', line });
});
