import { chromium } from '@playwright/test';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { startApp } from '../support/runningApp.js';

const pages = await servePages();

test('recipes run in an app that is already running, and leave it running with its page', async ({ project }) => {
  const url = pages.url('<button data-testid=go onclick="document.title = this.textContent = \'pressed\'">Go</button>');
  const app = await startApp(url);
  try {
    const attached = await chromium.connectOverCDP(`http://127.0.0.1:${app.port}`);
    const context = attached.contexts()[0];
    const window = context?.pages()[0];
    const page = await context?.newPage();
    await page?.goto(url);
    const run = await project(
      {
        'recipes/a.recipe.json': recipe({
          press: { action: 'ui.press', test_id: 'go' },
          see: { action: 'ui.wait_for', text: 'pressed' },
        }),
      },
      { recipes: { cdpPort: app.port } },
    ).run();
    expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
    const found = packageOf(run, 'recipes/a');
    expectWhole(found);
    expect(found.summary.inputs).toMatchObject({ cdp_port: { value: app.port } });
    // The recipe used the page that was active last, and both pages of the app still exist.
    expect(await page?.title()).toBe('pressed');
    expect(await window?.title()).toBe('');
    await attached.close();
    expect(await app.pages()).toHaveLength(2);
  } finally {
    await app.end();
  }
});

test('in a running app, paths are relative to the base URL, or else to the origin of its page', async ({ project }) => {
  const app = await startApp(pages.url('<h1>Before</h1>'));
  const document = recipe({
    open: { action: 'ui.navigate', url: '/?html=<h1>After</h1>' },
    see: { action: 'ui.wait_for', text: 'After' },
  });
  const other = await servePages();
  try {
    const { origin } = new URL(other.url(''));
    const use = { use: { baseURL: origin } };
    const withBaseUrl = await project({ 'recipes/a.recipe.json': document }, { recipes: { cdpPort: app.port, ...use } }).run();
    expect(withBaseUrl).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
    expect((await app.pages())[0]).toContain(`${origin}/`);
    const found = await project({ 'recipes/a.recipe.json': document }, { recipes: { cdpPort: app.port } }).run();
    expect(found).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  } finally {
    other.close();
    await app.end();
  }
});

test('the lifecycle command "back" works in an app with a back/forward cache', async ({ project }) => {
  const app = await startApp(pages.url('<h1>First</h1><a href="/?html=<h1>Second</h1>">On</a>'));
  const document = recipe(
    { first: { action: 'ui.wait_for', text: 'First' } },
    {
      setup: [
        { action: 'ui.press', text: 'On' },
        { action: 'ui.wait_for', text: 'Second' },
        { action: 'app.lifecycle', command: 'back', timeout_ms: 5_000 },
      ],
    },
  );
  try {
    const run = await project({ 'recipes/a.recipe.json': document }, { recipes: { cdpPort: app.port } }).run();
    expect(run, run.stdout).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  } finally {
    await app.end();
  }
});
