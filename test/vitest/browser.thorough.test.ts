import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { recipe, say, sound } from '../support/recipe.js';
import { startApp } from '../support/runningApp.js';
import { vitestProject } from '../support/vitestProject.js';

const pages = await servePages();
afterAll(() => pages.close());

const seen = (text: string, timeoutMs = 60_000) =>
  recipe(
    {
      open: { action: 'ui.navigate', url: pages.url('<h1>Total 21</h1>') },
      see: { action: 'ui.wait_for', text, proofTarget: 'AC1', timeout_ms: timeoutMs },
      look: { action: 'app.status' },
      keep: { action: 'ui.screenshot', proofTarget: 'AC1' },
      measure: { action: 'cdp.metrics' },
    },
    { targets: ['AC1'], title: `Sees ${text}` },
  );

const browser = { name: 'chromium', headed: false };

test('recipes that need a page run in a browser of the project, and their screenshots are in the package', async () => {
  const project = vitestProject(
    { 'recipes/seen.recipe.json': seen('Total 21'), 'recipes/wrong.recipe.json': seen('Total 22', 1_000) },
    { recipes: { browser } },
  );
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  const found = packageOf(run, 'recipes/seen');
  expectWhole(found);
  expect(found.summary.proof).toMatchObject([{ id: 'AC1', status: 'proven' }]);
  expect(found.manifest.artifacts.some(({ path }) => path.endsWith('.png'))).toBe(true);
  expect(packageOf(run, 'recipes/wrong').summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  const line = project.lineOf('recipes/wrong.recipe.json', '"see": {');
  expect(run.stderr).toContain(`❯ see · ui.wait_for recipes/wrong.recipe.json:${line}:9`);
});

const nodes = {
  measure: { action: 'cdp.metrics', names: ['Nodes'], assert: { path: '$.metrics.Nodes', operator: 'gt', value: 0 } },
};

test('without Playwright, cdp actions run over the port of an app, and recipes that need more warn when tests are collected', async () => {
  const app = await startApp(pages.url('<h1>Total 21</h1>'));
  onTestFinished(() => app.end());
  const mixed = recipe({ ...nodes, see: { action: 'ui.wait_for', text: 'Total' } });
  const project = vitestProject(
    { 'recipes/cdp.recipe.json': recipe(nodes), 'recipes/mixed.recipe.json': mixed },
    { recipes: { browser: { cdpPort: app.port } } },
  );
  for (const name of ['@playwright', 'playwright', 'playwright-core']) rmSync(join(project.dir, 'node_modules', name));
  const listed = await project.start(['list']).ended;
  const line = project.lineOf('recipes/mixed.recipe.json', '"see": {');
  expect(listed.stderr).toContain(`run.no_playwright  ${project.dir}/recipes/mixed.recipe.json:${line}:9`);
  expect(listed.stderr).not.toContain('cdp.recipe.json');
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(packageOf(run, 'recipes/cdp').summary).toMatchObject({ status: 'pass' });
  expect([...run.packages.keys()]).toEqual(['recipes/cdp']);
});

test('without Playwright, a recipe that needs a page or a port names what to install when tests are collected, and other recipes run', async () => {
  const project = vitestProject({
    'recipes/a.recipe.json': sound(),
    'recipes/cdp.recipe.json': recipe(nodes),
    'recipes/seen.recipe.json': seen('Total 21'),
  });
  for (const name of ['@playwright', 'playwright', 'playwright-core']) rmSync(join(project.dir, 'node_modules', name));
  const listed = await project.start(['list']).ended;
  expect(listed.exitCode).toBe(0);
  const line = project.lineOf('recipes/seen.recipe.json', '"open": {');
  expect(listed.stderr).toContain(`run.no_playwright  ${project.dir}/recipes/seen.recipe.json:${line}:9`);
  expect(listed.stderr).toContain('npm install --save-dev @playwright/test');
  expect(listed.stderr).toMatch(/run\.no_playwright .*cdp\.recipe\.json.*cdp\.metrics needs a browser.*browser\.cdpPort/s);
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  for (const { messages } of run.tests.slice(1)) expect(messages[0]).toContain('run.no_playwright');
  expect([...run.packages.keys()]).toEqual(['recipes/a']);
  expect(run.suite?.totals).toMatchObject({ declared: 3, passed: 1, unknown: 2 });
});

const ownActions = `
  import { defineAction, defineSetup, z } from 'recipewright';
  console.log('the setup module was loaded');
  const own = (name: string, needs: string[]) =>
    defineAction({ name, needs, description: name, schema: z.strictObject({}), examples: [], effect: 'reads', run: async () => ({ output: {} }) });
  export default defineSetup({ actions: [own('lab.look', ['context']), own('lab.count', [])] });
`;

test('without Playwright, an action of the project that needs a page warns when tests are collected', async () => {
  const files = {
    'recipes.setup.ts': ownActions,
    'recipes/look.recipe.json': recipe({ begin: say('hello'), look: { action: 'lab.look' } }),
    'recipes/count.recipe.json': recipe({ begin: say('hello'), count: { action: 'lab.count' } }),
  };
  const project = vitestProject(files);
  const before = await project.start(['list']).ended;
  expect(before).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.not.stringContaining('was loaded') as string });
  for (const name of ['@playwright', 'playwright', 'playwright-core']) rmSync(join(project.dir, 'node_modules', name));
  const listed = await project.start(['list']).ended;
  expect(listed.exitCode).toBe(0);
  const line = project.lineOf('recipes/look.recipe.json', '"look": {');
  expect(listed.stderr).toContain(`run.no_playwright  ${project.dir}/recipes/look.recipe.json:${line}:9`);
  expect(listed.stderr).toContain('lab.look needs a browser');
  expect(listed.stderr).not.toContain('count.recipe.json');
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(run.tests.find(({ status }) => status === 'failed')?.messages[0]).toContain('run.no_playwright');
  // A setup module that cannot be loaded is reported only by the tests that run.
  project.write({ 'recipes.setup.ts': 'throw new Error("nobody can load it");\n' });
  expect(await project.start(['list']).ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await project.run()).tests.map(({ status }) => status)).toEqual(['failed', 'failed']);
});
