// Packages of real runs of every kind, served and compared: axe finds no problem on their pages.
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { compareAnswer } from '../../src/cli/compare.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { serveReview } from '../../src/review/serve/serveReview.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { directory, jsonIn, write } from '../unit/evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../unit/evidence/richPackage.js';
import { axeProblems } from './axeProblems.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const regressed = JSON.parse(JSON.stringify(richRecipe).replaceAll('"contains":"kept"', '"contains":"gone"'));

/** axe takes 15 seconds for 2,000 entries, so only "npm run test:all" has that many. */
const entries = process.env.RECIPEWRIGHT_ALL ? 2_000 : 150;

/** A recipe with many nodes that take no time. */
function longRecipe(): object {
  const ids = Array.from({ length: entries }, (_, index) => `n${index}`);
  const nodes = ids.map((id, index) => [
    id,
    { action: 'wait', duration_ms: 0, intent: `Wait for number ${index}`, next: ids[index + 1] ?? 'done' },
  ]);
  const check = { assert: { path: '$.durationMs', operator: 'gte', value: 0 } };
  return {
    ...{ schema_version: 1, title: 'Long' },
    validate: {
      workflow: {
        entry: 'n0',
        nodes: {
          ...Object.fromEntries(nodes),
          n0: { ...(nodes[0]?.[1] as object), ...check },
          done: { action: 'end', status: 'pass' },
        },
      },
    },
  };
}

async function createSuite(): Promise<string> {
  const dir = directory();
  const addPackage = (from: string, name: string) => cpSync(from, join(dir, name), { recursive: true });
  const failed = await runIn(directory(), regressed);
  addPackage((await richPackage()).dir, 'flaky');
  addPackage(failed, '.attempts/flaky/0');
  addPackage(failed, 'failing');
  await runToPackage(join(project, 'examples/desk/manifests/article.runtime.json'), join(dir, 'runtime'));
  // No server responds, so the flow-spec fails at its first step.
  const home = directory();
  symlinkSync(join(project, 'node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'package.json'), '{}');
  const spec = join(home, 'a.flowspec.json');
  writeFileSync(spec, JSON.stringify(flow));
  await runToPackage(spec, join(dir, 'flow-spec'));
  const resolutions = ['flaky', 'failing', 'runtime', 'flow-spec'].map((id) => ({
    id,
    kind: 'verdict',
    flaky: id === 'flaky',
  }));
  write(dir, 'suite.json', { resolutions: [...resolutions, { id: 'gone', kind: 'not_executed', detail: 'It never came.' }] });
  return dir;
}

const flow = {
  ...{ spec_version: '1', name: 'Sign in', url: 'http://127.0.0.1:9' },
  steps: [
    { type: 'act', action: 'click', target: 'the login button' },
    { type: 'expect', kind: 'text_contains', value: 'inside' },
  ],
  assertions: [{ kind: 'no_console_errors', severity: 'critical' }],
};

async function runToPackage(file: string, artifactsDir: string): Promise<void> {
  const result = await runRecipe(file, { artifactsDir });
  if (!result.ran) throw new Error(JSON.stringify(result.findings));
}

async function serveOnPage(dir: string): Promise<{ page: Page; url: string }> {
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  return { page, url };
}

test('the pages of a suite and of its packages have no accessibility problem', async () => {
  const { page, url } = await serveOnPage(await createSuite());
  const paths = ['flaky', 'failing', 'runtime', 'flow-spec'].map((name) => `${name}/review.html`);
  for (const path of ['', ...paths, '.attempts/flaky/compare/index.html']) {
    await page.goto(url + path);
    expect([path, await axeProblems(page)]).toEqual([path, []]);
  }
});

test(`the page of a package with ${entries} entries has no accessibility problem`, async () => {
  const { page, url } = await serveOnPage(await runIn(directory(), longRecipe()));
  await page.goto(url);
  expect(await page.locator('.entry').count()).toBe(Math.min(entries + 1, 2_000));
  // A page shows at most 2,000 entries. One look is enough, because other tests check the other colours.
  expect(await axeProblems(page, [{ colorScheme: 'dark', width: 1280 }])).toEqual([]);
});

test('the page of a comparison with different screenshots has no accessibility problem', async () => {
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  const dirs = [(await richPackage()).dir, await runIn(directory(), regressed)];
  for (const [index, dir] of dirs.entries()) {
    const manifest = jsonIn(dir, 'artifact-manifest.json');
    const artifacts = [...manifest.artifacts, { path: 'shot.png', type: 'screenshot' }];
    write(dir, 'artifact-manifest.json', { ...manifest, artifacts });
    await page.setContent(`<h1>Shop ${index}</h1>`);
    writeFileSync(join(dir, 'shot.png'), await page.screenshot());
  }
  const html = join(directory(), 'compare.html');
  compareAnswer(dirs, { html });
  await page.goto(pathToFileURL(html).href);
  expect(await page.getByAltText('Difference').count()).toBe(1);
  expect(await axeProblems(page)).toEqual([]);
});
