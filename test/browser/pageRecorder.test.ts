// The page recorder returns messages, screenshots and failures, and never blocks a run.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { hudOf } from '../../src/browser/hud/hud.js';
import type { Observation, ObservedNode } from '../../src/browser/nodeObserver.js';
import { openPageRecorder, type PageRecorder, type PageRecorderOptions } from '../../src/browser/pageRecorder.js';
import { RunPages, runPagesOf } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium, startChromium } from '../support/chromium.js';
import { hang } from '../support/hang.js';
import { uiRun } from '../support/uiRun.js';
import { countDifferentPixels, countHudPixels, type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

const shop = '<!doctype html><title>Shop</title><h1>Shop</h1><button>Buy</button>';

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let runPages: RunPages;
let recorder: PageRecorder;

beforeAll(async () => {
  [browser, pages] = [await sharedChromium(), await serveWithHeaders()];
});

afterAll(async () => {
  await closeContexts(browser);
  pages.close();
});

beforeEach(async () => {
  page = await freshPage(browser, { viewport: { width: 480, height: 300 } });
  runPages = new RunPages(page, { isOwn: true });
  await page.goto(pages.url(shop));
});

afterEach(async () => {
  await recorder.close();
  await page.context().close();
});

function openRecorder(options: Partial<PageRecorderOptions> = {}): void {
  recorder = openPageRecorder(runPages, { hud: false, total: 3, record: false, video: 'off', ...options });
}

async function perform(node: ObservedNode): Promise<Observation> {
  await recorder.nodeBegins(node);
  return recorder.nodeEnds(node, passed);
}

const proof = (path: string): ObservedNode => observedNode(path, { record: 'proof_window', proofTarget: 'AC1' });

test('the page recorder returns no promise when there is no HUD and nothing to record', () => {
  openRecorder();
  expect(recorder.nodeBegins(proof('a'))).toBe(undefined);
  expect(recorder.nodeEnds(proof('a'), passed)).toEqual({});
  openRecorder({ record: true, video: 'on' });
  expect(recorder.nodeBegins(observedNode('a'))).toBe(undefined);
  expect(recorder.nodeEnds(observedNode('a'), passed)).toEqual({});
});

test('the page recorder returns a console error once, with the node that caused it', async () => {
  openRecorder();
  await page.evaluate('console.error("The cart is broken")');
  await expect
    .poll(() => (recorder.nodeEnds(observedNode('a'), passed) as Observation).issues)
    .toMatchObject([{ level: 'error', source: 'console', message: 'The cart is broken' }]);
  expect(await perform(observedNode('b'))).toEqual({});
});

test('a page that hangs blocks no node, with HUD, screenshots and video', async () => {
  openRecorder({ hud: {}, record: true, video: 'on' });
  await perform(proof('a'));
  const { release } = await hang(page);
  for (const path of ['b', 'c']) await perform(proof(path));
  await release();
  // After the hang, only the latest content is painted.
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
});

test('the page recorder takes no screenshot of a page that hangs', async () => {
  openRecorder({ record: true });
  const { release } = await hang(page);
  expect(await perform(proof('a'))).toEqual({});
  await release();
});

test('a lost browser fails the running node and every later node that needs a page', async () => {
  const own = await startChromium();
  const lostPages = new RunPages(await freshPage(own), { isOwn: true });
  recorder = openPageRecorder(lostPages, { hud: {}, total: 3, record: true, video: 'on' });
  const command = observedNode('count', { needsPage: false });
  await recorder.nodeBegins(command);
  await own.close();
  expect(await recorder.nodeEnds(command, passed)).toMatchObject({ failure: { kind: 'environment' } });
  expect(await perform(observedNode('clean-up', { needsPage: false }))).not.toHaveProperty('failure');
  expect(await perform(observedNode('press'))).toMatchObject({ failure: { code: 'ui.browser_gone' } });
});

test('playback pauses after each visible node, until the run is interrupted', async () => {
  const stop = new AbortController();
  const startedAt = performance.now();
  openRecorder({ playback: { mode: 'auto', slow_ms: 300 } });
  await perform(observedNode('a'));
  expect(performance.now() - startedAt).toBeGreaterThan(290);
  // Longer than the timeout of the test.
  const slow_ms = 10_000_000;
  openRecorder({ playback: { mode: 'auto', slow_ms } });
  await perform(observedNode('b', { needsPage: false }));
  await perform(observedNode('c', { skip: 'when: is false' }));
  openRecorder({ playback: { mode: 'off', slow_ms } });
  await perform(observedNode('d'));
  openRecorder({ playback: { mode: 'step', slow_ms }, signal: stop.signal });
  let hasEnded = false;
  const paused = perform(observedNode('e')).finally(() => {
    hasEnded = true;
  });
  await page.title();
  expect(hasEnded).toBe(false);
  stop.abort();
  await paused;
});

test('a closed page recorder leaves nothing on the page', async () => {
  const before = await page.content();
  openRecorder({ hud: { layout: 'docked-bottom' } });
  await perform(observedNode('a'));
  expect(await page.content()).not.toBe(before);
  await recorder.close();
  expect(await page.content()).toBe(before);
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
  await page.reload();
  expect(await page.content()).toBe(before);
});

test('ui.wait_for never finds the text of the HUD', async () => {
  runPages.stopListening();
  recorder = openPageRecorder(runPagesOf(page), {
    hud: { showTitle: true },
    title: 'Order placed',
    total: 3,
    record: false,
    video: 'off',
  });
  await recorder.nodeBegins(observedNode('confirm', { title: 'Verify Order confirmed is shown' }));
  const wait = { action: 'ui.wait_for', timeout_ms: 60_000 };
  const cutShort = { node: 'wait', ms: 800 };
  for (const target of [{ text: 'Order confirmed' }, { text: 'Order placed' }, { selector: 'recipewright-hud' }]) {
    const run = await uiRun(
      page,
      { note: { action: 'app.hud', text: 'Order confirmed' }, wait: { ...wait, ...target } },
      { cutShort },
    );
    expect([run.status, run.ends.get('note')?.output]).toEqual(['fail', { shown: true }]);
  }
  const run = await uiRun(page, { wait: { ...wait, text: 'Buy' } });
  expect([run.status, run.error]).toEqual(['pass', '']);
});

test('app.hud shows its text until the next node, and does nothing when the HUD is off', async () => {
  runPages.stopListening();
  const off = await uiRun(page, { note: { action: 'app.hud', text: 'Look here', clear: false, display: { layout: 'card' } } });
  expect([off.error, off.ends.get('note')?.output]).toEqual(['', { shown: false }]);
  recorder = openPageRecorder(runPagesOf(page), { hud: {}, total: 3, record: false, video: 'off' });
  await recorder.nodeBegins(observedNode('a'));
  const plain = await page.screenshot();
  await uiRun(page, { note: { action: 'app.hud', text: 'Look here', status: 'fail', title: 'Shop' } });
  expect(countDifferentPixels(plain, await page.screenshot())).toBeGreaterThan(300);
  await uiRun(page, { note: { action: 'app.hud', clear: true } });
  expect(await countHudPixels(page)).toBe(0);
  await recorder.nodeBegins(observedNode('a'));
  expect(await countHudPixels(page)).toBeGreaterThan(5_000);
  await recorder.close();
  expect(hudOf(runPagesOf(page))).toBe(undefined);
});
