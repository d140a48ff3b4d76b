// A review page that follows a run: it shows the journal, and updates when the journal grows.
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { serveReview } from '../../src/review/serve/serveReview.js';
import { openInBrowser } from '../../src/system/openInBrowser.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { recipeOf } from '../support/plain.js';
import { directory } from '../unit/evidence/packages.js';
import { richPackage } from '../unit/evidence/richPackage.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

test('a watched review page follows a run to its end, and open entries stay open', async () => {
  const { dir: completeDir } = await richPackage();
  const lines = readFileSync(join(completeDir, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
  const dir = join(directory(), 'live');
  mkdirSync(dir);
  writeFileSync(join(dir, 'journal.jsonl'), `${lines.slice(0, 5).join('\n')}\n{"v":1,"torn`);
  cpSync(join(completeDir, 'recipe.json'), join(dir, 'recipe.json'));
  const { url, close } = await serveReview(dir, { watch: true });
  onTestFinished(close);
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  await page.goto(url);
  expect(await page.locator('.verdict').textContent()).toMatch(/Unknown.*The run has not ended yet: it is at first/);
  const graph = page.locator('#graph .picture').first();
  expect(await graph.locator('.g-run').textContent()).toMatch(/first.* is running/);
  expect(await graph.locator('.g-edge.g-taken').count()).toBe(0);
  const before = await page.locator('.entry').count();
  await page.locator('.entry summary').first().click();

  writeFileSync(join(dir, 'journal.jsonl'), `${lines.slice(0, 9).join('\n')}\n`);
  await expect.poll(() => page.locator('.entry').count()).toBeGreaterThan(before);
  await expect.poll(() => page.locator('.entry > details[open]').count()).toBeGreaterThan(0);
  await expect.poll(() => graph.locator('.g-edge.g-taken').count()).toBeGreaterThan(0);

  appendFileSync(join(dir, 'journal.jsonl'), `${lines.slice(9).join('\n')}\n`);
  for (const name of ['trace.json', 'recipe.json', 'artifact-manifest.json', 'summary.json'])
    renameSync(join(completeDir, name), join(dir, name));
  await expect.poll(() => page.locator('.verdict').textContent()).toMatch(/Pass.*1 of 1 claims proven/);
  expect(await page.locator('#graph svg').count()).toBeGreaterThan(0);
  expect(messages).toEqual([]);
});

test('a watched review page shows the recipe while the first node of the run is running', async () => {
  const root = directory();
  const wait = `while [ ! -e '${root}/go' ]; do sleep 0.05; done`;
  const waitingRecipe = recipeOf({ hold: { action: 'command', cmd: wait, next: 'done' } });
  writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(waitingRecipe));
  const artifactsDir = join(root, 'out');
  const run = runRecipe(join(root, 'a.recipe.json'), { artifactsDir, projectRoot: root });
  await expect.poll(() => read(join(artifactsDir, 'journal.jsonl')).split('\n').length).toBeGreaterThan(2);
  const { url, close } = await serveReview(artifactsDir, { watch: true });
  onTestFinished(close);
  const live = await (await fetch(url)).text();
  writeFileSync(join(root, 'go'), '');
  expect(live).toMatch(/class="g-node g-run".*1\. is running</s);
  expect(await run).toMatchObject({ ran: true, verdict: 'pass' });
  expect(verifyPackage(artifactsDir)).toMatchObject({ status: 'verified' });
});

test('a review page without watch sends no request for changes', async () => {
  const { dir } = await richPackage();
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  await page.goto(url);
  expect(await page.evaluate('document.scripts.length')).toBe(1);
  expect((await page.request.get(`${url}?changed`)).headers()['content-type']).toContain('text/html');
});

test('openInBrowser starts the program in BROWSER, and does nothing when there is none', async () => {
  const dir = directory();
  const program = join(dir, 'browser.sh');
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > '${dir}/part' && mv '${dir}/part' '${dir}/opened'\n`, { mode: 0o755 });
  openInBrowser('http://127.0.0.1:1/?a&b', { BROWSER: program });
  await expect.poll(() => read(join(dir, 'opened'))).toBe('http://127.0.0.1:1/?a&b');
  openInBrowser('http://127.0.0.1:1/', { BROWSER: join(dir, 'no-such-program') });
  openInBrowser('http://127.0.0.1:1/', { BROWSER: 'none' });
});

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // ENOENT: the file does not exist yet.
    return '';
  }
}
