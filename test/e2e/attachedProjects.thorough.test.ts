import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { eventMs, runMs } from '../support/patience.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { type RunningApp, startApp } from '../support/runningApp.js';

test.describe.configure({ mode: 'default' });

const pages = await servePages();

const inApp = pages.url('<p>In the app</p>');
let app: RunningApp;
test.beforeAll(async () => {
  app = await startApp(inApp);
});
test.afterAll(() => app.end());

/** Each test of this file starts on its own page in the app. */
test.beforeEach(async () => {
  const at = (path: string) => `http://127.0.0.1:${app.port}/json/${path}`;
  const former = (await (await fetch(at('list'))).json()) as { id: string; type: string }[];
  await fetch(at(`new?${encodeURIComponent(inApp)}`), { method: 'PUT' });
  for (const { id, type } of former) if (type === 'page') await fetch(at(`close/${id}`));
  await expect.poll(() => app.pages()).toEqual([inApp]);
});

const seesApp = recipe({ see: { action: 'ui.wait_for', text: 'In the app', timeout_ms: eventMs } });
const seesPort = recipe({ say: { action: 'command', argv: ['node', '-p', '"port " + process.argv[1]', '{{cdp_port}}'] } });
const elsewhere = recipe({
  open: { action: 'ui.navigate', url: pages.url('<p>Elsewhere</p>') },
  see: { action: 'ui.wait_for', text: 'Elsewhere', timeout_ms: eventMs },
});

const configOf = (projects: string, more = '') => `
  import { defineConfig } from '@playwright/test';
  import { localChromium, recipeProject } from 'recipewright/playwright';
  export default defineConfig({
    timeout: ${runMs},
    ${more}
    use: localChromium(),
    reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
    projects: [${projects}],
  });`;

test('only the recipes of a project use the port of that project', async ({ project }) => {
  const nobody = 9;
  const run = await project({
    'playwright.config.ts': configOf(`
      recipeProject({ name: 'app', recipes: 'app/*.recipe.json', cdpPort: ${app.port}, setup: './setup.ts' }),
      recipeProject({ name: 'own', recipes: 'own/*.recipe.json', setup: './setup.ts' }),
      recipeProject({ name: 'gone', recipes: 'gone/*.recipe.json', cdpPort: ${nobody} }),
      { name: 'native', testDir: 'tests' },`),
    // The fixtures that a project adds use the page of the app too.
    'setup.ts': `
      import { test as base } from 'recipewright/playwright';
      export const test = base.extend({ page: async ({ page }, use) => { await page.evaluate('document.body.append("Extended")'); await use(page); } });`,
    'app/sees.recipe.json': seesApp,
    'app/extended.recipe.json': recipe({ see: { action: 'ui.wait_for', text: 'Extended', timeout_ms: eventMs } }),
    'app/port.recipe.json': seesPort,
    'own/elsewhere.recipe.json': elsewhere,
    'own/port.recipe.json': seesPort,
    'gone/sees.recipe.json': seesApp,
    'tests/native.spec.ts': `
      import { expect, test } from 'recipewright/playwright';
      test('a native test', async ({ page }) => { expect(page.url()).toBe('about:blank'); });
      test('a native test with a recipe', async ({ recipe }) => { await recipe.run('../app/port.recipe.json'); });`,
  }).run();
  const found = [...run.packages].map(([id, { summary }]) => [id, summary.status]);
  expect(Object.fromEntries(found)).toEqual({
    'app/sees--app': 'pass',
    'app/extended--app': 'pass',
    'app/port--app': 'pass',
    'own/elsewhere--own': 'pass',
    'gone/sees--gone': 'unknown',
  });
  expect(packageOf(run, 'app/sees--app').summary.inputs).toMatchObject({ cdp_port: { value: app.port } });
  expect(packageOf(run, 'app/port--app').trace[0]?.output).toMatchObject({ stdout: `port ${app.port}\n` });
  expect(packageOf(run, 'own/elsewhere--own').summary.inputs).toEqual({});
  expect(run.stdout).toContain(`Cannot attach to an app at port ${nobody}`);
  expect(await app.pages()).toEqual([inApp]);
  // The recipes that need a port, in projects without one.
  expect(run).toMatchObject({ exitCode: 1, passed: 5, failed: 3 });
});

test('the tests of all projects use a port from the environment', async ({ project }) => {
  const inner = project({
    'playwright.config.ts': configOf(`
      recipeProject({ name: 'app', recipes: 'app/*.recipe.json', cdpPort: 9 }),
      recipeProject({ name: 'own', recipes: 'own/*.recipe.json' }),
      { name: 'native', testDir: 'tests' },`),
    'app/sees.recipe.json': seesApp,
    'own/sees.recipe.json': seesApp,
    'own/port.recipe.json': seesPort,
    'tests/native.spec.ts': `
      import { expect, test } from 'recipewright/playwright';
      test('a native test', async ({ page }) => { await expect(page.locator('p')).toHaveText('In the app'); });`,
  });
  const run = await inner.run([], { env: { RECIPE_INPUT_CDP_PORT: String(app.port) } });
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 4, failed: 0 });
});

/** Counts to three in the page, and expects only its own steps. */
const counts = recipe({
  open: {
    action: 'ui.navigate',
    url: pages.url(
      `<p>0</p><button data-testid=more onclick="p = document.querySelector('p'); p.textContent = Number(p.textContent) + 1">More</button>`,
    ),
  },
  ...Object.fromEntries(
    [1, 2, 3].flatMap((n) => [
      [`press${n}`, { action: 'ui.press', test_id: 'more' }],
      [`wait${n}`, { action: 'wait', duration_ms: 300 }],
      [`see${n}`, { action: 'ui.wait_for', text: String(n), timeout_ms: eventMs }],
    ]),
  ),
});

test('recipes of one project run in a shared app one after the other', async ({ project }) => {
  const run = await project({
    'playwright.config.ts': configOf(
      `recipeProject({ name: 'app', recipes: 'app/*.recipe.json', cdpPort: ${app.port} })`,
      'workers: 2,',
    ),
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`app/${name}.recipe.json`, counts])),
  }).run();
  expect(run.stdout).toContain('using 1 worker');
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
});

test('tests of several projects in one app wait for each other', async ({ project }) => {
  const run = await project({
    'playwright.config.ts': configOf(
      `recipeProject({ name: 'one', recipes: 'app/*.recipe.json', cdpPort: ${app.port} }),
       recipeProject({ name: 'other', recipes: 'app/*.recipe.json', cdpPort: ${app.port} }),`,
      'workers: 2,',
    ),
    ...Object.fromEntries(['a', 'b'].map((name) => [`app/${name}.recipe.json`, counts])),
  }).run();
  expect(run.stdout).toContain('using 2 workers');
  expect(run, run.stdout).toMatchObject({ exitCode: 0, stderr: '', passed: 4, failed: 0 });
});

test('tests in an app from the environment wait for each other, and the waiting time does not count for their timeout', async ({
  project,
}) => {
  // The first test uses the app until the other test has waited for longer than its timeout.
  const inner = project({
    'playwright.config.ts': configOf("{ name: 'native', testDir: 'tests' }", 'workers: 2, fullyParallel: true, timeout: 8_000,'),
    'tests/native.spec.ts': `
      import { existsSync, writeFileSync } from 'node:fs';
      import { expect, test } from 'recipewright/playwright';
      const names = ['a', 'b'];
      test.beforeEach(({}, { title }) => writeFileSync(title + '.begun', ''));
      for (const name of names)
        test(name, async ({ page }) => {
          const isFirst = !existsSync('first');
          if (isFirst) {
            test.setTimeout(${runMs});
            writeFileSync('first', name);
          }
          await page.evaluate((mine) => { document.title = mine; }, name);
          if (isFirst) {
            await expect.poll(() => names.every((each) => existsSync(each + '.begun')), { timeout: ${eventMs} }).toBe(true);
            await page.waitForTimeout(9_000);
          }
          expect(await page.title()).toBe(name);
        });`,
  });
  const run = await inner.run([], { env: { RECIPE_INPUT_CDP_PORT: String(app.port) } });
  expect(run.stdout).toContain('using 2 workers');
  expect(run, run.stdout).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
});
