import { join } from 'node:path';
import { filesBelow, packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

/** A setup module with one action that prints the name of the module. */
const setupOf = (who: string, head = "import { test } from 'recipewright/playwright';\nexport { test };") => `
  import { defineAction, defineSetup } from 'recipewright';
  import { z } from 'zod';
  ${head}
  const schema = z.strictObject({});
  const run = (_: unknown, { fixtures }: { fixtures: Record<string, unknown> }) => ({ output: { who: '${who}', ...fixtures } });
  export default defineSetup({ actions: [
    defineAction({ name: 'lab.who', description: 'x', schema, examples: [], effect: 'reads', fallible: () => true, run }),
    defineAction({ name: 'lab.with', description: 'x', schema, examples: [], effect: 'reads', fallible: () => true, needs: ['clerk'], run }),
  ] });
`;

const who = recipe({ ask: { action: 'lab.who' } }, { title: 'Who' });
const outputOf = (run: Parameters<typeof packageOf>[0], id: string) => packageOf(run, id).trace[0]?.output;

for (const type of ['module', 'commonjs'] as const) {
  test(`projects of recipes with their own setups run beside native projects in a package of type ${type}`, async ({
    project,
  }) => {
    const config = `
      import { defineConfig } from '@playwright/test';
      import { recipeProject } from 'recipewright/playwright';
      export default defineConfig({
        testDir: './tests',
        reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
        projects: [
          { name: 'native' },
          recipeProject({ name: 'north', recipes: 'recipes/*.recipe.json', setup: './north.ts' }),
          recipeProject({ name: 'south', recipes: ['recipes/*.recipe.json'], setup: './south.ts' }),
        ],
      });`;
    const inner = project(
      {
        'playwright.config.ts': config,
        'north.ts': setupOf('north'),
        'south.ts': setupOf('south'),
        'recipes/who.recipe.json': who,
        'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native test', () => undefined);\n",
      },
      { type },
    );
    const run = await inner.run();
    expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
    expect([...run.packages.keys()].sort()).toEqual(['recipes/who--north', 'recipes/who--south']);
    expect(outputOf(run, 'recipes/who--north')).toEqual({ who: 'north' });
    expect(outputOf(run, 'recipes/who--south')).toEqual({ who: 'south' });
    const south = await inner.run(['--project=south', 'who.recipe.json']);
    expect(south).toMatchObject({ exitCode: 0, passed: 1 });
  });
}

test('in a monorepo, a config in a package runs recipes above the package, with the project of those recipes', async ({
  project,
}) => {
  const config = `
    import { defineConfig } from '@playwright/test';
    import { withRecipes } from 'recipewright/playwright';
    export default withRecipes(
      defineConfig({ testDir: '../../specs', reporter: [['json', { outputFile: '../../report.json' }], ['recipewright/playwright/reporter', { outputDir: '../../recipe-results' }]] }),
      { recipes: '../../shared/recipes/*.recipe.json', config: '../../recipewright.config.mjs' },
    );`;
  const prints = recipe({
    list: { action: 'command', cmd: 'ls', assert: { path: '$.stdout', operator: 'contains', value: 'shared' } },
  });
  const using = {
    ...recipe({ call: { action: 'call', ref: 'shop.look' } }),
    uses: ['shared/shop.flows.json'],
  };
  const flow = {
    version: 1,
    description: 'Looks.',
    entry: 'look',
    nodes: {
      look: { action: 'command', intent: 'Look around', cmd: 'ls', next: 'done' },
      done: { action: 'end', status: 'pass' },
    },
  };
  const inner = project({
    'recipewright.config.mjs': 'export default {};\n',
    'apps/web/package.json': { name: 'web', type: 'module' },
    'apps/web/playwright.config.ts': config,
    'specs/native.spec.ts': "import { test } from '@playwright/test';\ntest('a native test', () => undefined);\n",
    'shared/recipes/prints.recipe.json': prints,
    'shared/recipes/using.recipe.json': using,
    'shared/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.look': flow } },
  });
  const run = await inner.run(['-c', 'apps/web']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
  expect([...run.packages.keys()].sort()).toEqual(['shared/recipes/prints', 'shared/recipes/using']);
  // Files are generated only below node_modules.
  const generated = filesBelow(inner.dir).filter((file) => file.includes('.cache'));
  expect(generated.length).toBeGreaterThan(0);
  expect(generated.every((file) => file.startsWith(join('apps/web/node_modules/.cache/recipewright')))).toBe(true);
  const one = await inner.run(['--list', '-c', 'apps/web', 'shared/recipes/using.recipe.json:4']);
  expect(testsIn(one.report)).toHaveLength(1);
});

const reporter = [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']];

test('actions receive the fixtures of a merged test, and a fixture that cleans up in the page handles its dialogs itself', async ({
  project,
}) => {
  const merged = `
    import { mergeTests, test as base } from '@playwright/test';
    import { test as recipes } from 'recipewright/playwright';
    const own = base.extend<{ clerk: string }>({ clerk: async ({}, use) => use('Ada') });
    export const test = mergeTests(recipes, own);`;
  const foreign =
    "import { test as base } from '@playwright/test';\nexport const test = base.extend<{ clerk: string }>({ clerk: async ({}, use) => use('Ada') });";
  const cleaning = `
    import { test as base } from 'recipewright/playwright';
    export const test = base.extend<{ cleaned: void }>({
      cleaned: [async ({ page }, use) => {
        await use();
        page.on('dialog', (dialog) => dialog.accept());
        await page.click('#delete');
        if ((await page.title()) !== 'deleted') throw new Error('The order is still there.');
      }, { auto: true }],
    });`;
  // A dialog after the recipe goes to the listener of the first dialog, and the next dialog to no listener.
  const answering = `
    import { test as base } from 'recipewright/playwright';
    export const test = base.extend<{ cleaned: string }>({
      cleaned: async ({ page, context }, use) => {
        context.once('dialog', async (dialog) => {
          await new Promise((later) => setTimeout(later, 100));
          await dialog.accept();
        });
        await use('later');
        await page.click('#delete');
        await page.click('#delete');
        if ((await page.title()) !== 'truefalse') throw new Error('The answers were ' + (await page.title()));
      },
    });`;
  const once = `<p>Hello</p><button id=delete onclick="if (confirm('Sure?')) document.title = 'deleted'">Delete</button>`;
  const twice = `<p>Hello</p><button id=delete onclick="document.title += confirm('Sure?')">Delete</button>`;
  const see = { action: 'ui.wait_for', text: 'Hello' };
  const inner = project({
    'playwright.config.ts': `
      import { defineConfig } from '@playwright/test';
      import { localChromium, recipeProject } from 'recipewright/playwright';
      export default defineConfig({
        workers: 1,
        use: localChromium(),
        reporter: ${JSON.stringify(reporter)},
        projects: [
          recipeProject({ name: 'merged', recipes: 'recipes/*.recipe.json', setup: './merged.ts' }),
          recipeProject({ name: 'foreign', recipes: 'recipes/*.recipe.json', setup: './foreign.ts' }),
          recipeProject({ name: 'cleaning', recipes: 'pages/once.recipe.json', setup: './cleaning.ts' }),
          recipeProject({ name: 'answering', recipes: 'pages/twice.recipe.json', setup: './answering.ts' }),
        ],
      });`,
    'merged.ts': setupOf('merged', merged),
    'foreign.ts': setupOf('foreign', foreign),
    'cleaning.ts': cleaning,
    'answering.ts': setupFile({ 'shop.look': 'return { output: {} };' }, answering).replace(
      "effect: 'reads'",
      "effect: 'reads', needs: ['cleaned']",
    ),
    'recipes/with.recipe.json': recipe({ ask: { action: 'lab.with' } }),
    'recipes/who.recipe.json': who,
    'pages/once.recipe.json': recipe({ open: { action: 'ui.navigate', url: pages.url(once) }, see }),
    'pages/twice.recipe.json': recipe({
      open: { action: 'ui.navigate', url: pages.url(twice) },
      see,
      look: { action: 'shop.look' },
    }),
  });
  const run = await inner.run(['--project=merged', '--project=cleaning', '--project=answering']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 4, failed: 0 });
  expect(outputOf(run, 'recipes/with--merged')).toEqual({ who: 'merged', clerk: 'Ada' });

  const refused = await inner.run(['--project=foreign']);
  expect(refused).toMatchObject({ exitCode: 1, passed: 0, failed: 2 });
  expect(refused.stdout).toContain('Extend the "test" of recipewright/playwright, or merge the two');
});

test('a spec registers recipes, each at its own place, and their listeners are removed from a shared page when they end', async ({
  project,
}) => {
  const spec = `
    import { test } from '@playwright/test';
    import { recipes } from 'recipewright/playwright';
    import * as setup from '../lab.ts';
    recipes('../documents/*.recipe.json', { setup });
    test('a native test', () => undefined);`;
  const shared = `
    import { test as base } from 'recipewright/playwright';
    import type { Page } from '@playwright/test';
    export const test = base.extend<{}, { sharedPage: Page }>({
      sharedPage: [async ({ browser }, use) => { await use(await browser.newPage()) }, { scope: 'worker' }],
      page: async ({ sharedPage }, use) => use(sharedPage),
    });`;
  const sharing = `
    import { expect } from '@playwright/test';
    import { recipes } from 'recipewright/playwright';
    import * as setup from '../shared.ts';
    recipes('../pages/*.recipe.json', { setup });
    setup.test('then a native test', async ({ page }) => {
      expect(page.url()).toContain('http://127.0.0.1');
      page.on('dialog', (dialog) => dialog.accept());
      expect(await page.evaluate(() => confirm('Is it mine?'))).toBe(true);
      const emitters = [page, page.context(), page.context().browser()] as unknown as { eventNames(): string[] }[];
      expect(emitters.flatMap((each) => each.eventNames().filter((name) => /^(dialog|console|page|requestfailed)$/.test(name)))).toEqual(['dialog']);
    });`;
  const inner = project({
    'playwright.config.ts': `
      import { defineConfig } from '@playwright/test';
      import { localChromium } from 'recipewright/playwright';
      export default defineConfig({ workers: 1, use: { ...localChromium() }, reporter: ${JSON.stringify(reporter)} });`,
    'tests/all.spec.ts': spec,
    'lab.ts': setupOf('spec'),
    'documents/a.recipe.json': sound('The same title'),
    'documents/b.recipe.json': sound('The same title'),
    'documents/who.recipe.json': who,
    'tests/sharing.spec.ts': sharing,
    'shared.ts': shared,
    'pages/a.recipe.json': recipe({
      open: { action: 'ui.navigate', url: pages.url('<p>Hello</p>') },
      see: { action: 'ui.wait_for', text: 'Hello' },
    }),
  });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 6, failed: 0 });
  expect([...run.packages.keys()].sort()).toEqual(['documents/a', 'documents/b', 'documents/who', 'pages/a']);
  expect(testsIn(run.report).map(({ title, file, line }) => `${file}:${line} ${title}`)).toEqual(
    expect.arrayContaining([
      'documents/a.recipe.json:3 The same title',
      'documents/b.recipe.json:3 The same title (documents/b)',
    ]),
  );
});
