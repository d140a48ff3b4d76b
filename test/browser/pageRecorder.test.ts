// What looking on costs, what it hands on, and that it never holds up or changes a run.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { hudOf } from '../../src/browser/hud/hud.js';
import type { Observation, ObservedNode } from '../../src/browser/nodeObserver.js';
import { openPageRecorder, type PageRecorder, type PageRecorderOptions } from '../../src/browser/pageRecorder.js';
import { RunPages, runPagesOf } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium, startChromium } from '../support/chromium.js';
import { hang } from '../support/hang.js';
import { uiRun } from '../support/uiRun.js';
import { difference, type HeaderPages, hudPixels, observedNode, passed, serveWithHeaders } from './hudPages.js';

const shop = '<!doctype html><title>Shop</title><h1>Shop</h1><button>Buy</button>';

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let stage: RunPages;
let onlooker: PageRecorder;

beforeAll(async () => {
  [browser, pages] = [await sharedChromium(), await serveWithHeaders()];
});

afterAll(async () => {
  await closeContexts(browser);
  pages.close();
});

beforeEach(async () => {
  page = await freshPage(browser, { viewport: { width: 480, height: 300 } });
  stage = new RunPages(page, { isOwn: true });
  await page.goto(pages.url(shop));
});

afterEach(async () => {
  await onlooker.close();
  await page.context().close();
});

function look(options: Partial<PageRecorderOptions> = {}): void {
  onlooker = openPageRecorder(stage, { hud: false, total: 3, record: false, video: 'off', ...options });
}

async function perform(node: ObservedNode): Promise<Observation> {
  await onlooker.nodeBegins(node);
  return onlooker.nodeEnds(node, passed);
}

const proof = (path: string): ObservedNode => observedNode(path, { record: 'proof_window', proofTarget: 'AC1' });

test('without a HUD and with nothing to record, nobody waits for anything', () => {
  look();
  expect(onlooker.nodeBegins(proof('a'))).toBe(undefined);
  expect(onlooker.nodeEnds(proof('a'), passed)).toEqual({});
  look({ record: true, video: 'on' });
  expect(onlooker.nodeBegins(observedNode('a'))).toBe(undefined);
  expect(onlooker.nodeEnds(observedNode('a'), passed)).toEqual({});
});

test('what the page says is handed on once, with the node it was said in', async () => {
  look();
  await page.evaluate('console.error("The cart is broken")');
  await expect
    .poll(() => (onlooker.nodeEnds(observedNode('a'), passed) as Observation).issues)
    .toMatchObject([{ level: 'error', source: 'console', message: 'The cart is broken' }]);
  expect(await perform(observedNode('b'))).toEqual({});
});

test('a page that hangs holds up no node, with HUD, pictures and video', async () => {
  look({ hud: {}, record: true, video: 'on' });
  await perform(proof('a'));
  const { release } = await hang(page);
  for (const path of ['b', 'c']) await perform(proof(path));
  await release();
  // It wakes up to the newest line only.
  await expect.poll(() => hudPixels(page)).toBeGreaterThan(5_000);
});

test('a page that hangs is not pictured without a HUD either', async () => {
  look({ record: true });
  const { release } = await hang(page);
  expect(await perform(proof('a'))).toEqual({});
  await release();
});

test('a browser that goes away is the failure of the node that ran, and of every later one that needs a page', async () => {
  const own = await startChromium();
  const lost = new RunPages(await freshPage(own), { isOwn: true });
  onlooker = openPageRecorder(lost, { hud: {}, total: 3, record: true, video: 'on' });
  const command = observedNode('count', { needsPage: false });
  await onlooker.nodeBegins(command);
  await own.close();
  expect(await onlooker.nodeEnds(command, passed)).toMatchObject({ failure: { kind: 'environment' } });
  expect(await perform(observedNode('clean-up', { needsPage: false }))).not.toHaveProperty('failure');
  expect(await perform(observedNode('press'))).toMatchObject({ failure: { code: 'ui.browser_gone' } });
});

test('playback pauses after what can be seen, until somebody interrupts', async () => {
  const stop = new AbortController();
  const began = performance.now();
  look({ playback: { mode: 'auto', slow_ms: 300 } });
  await perform(observedNode('a'));
  expect(performance.now() - began).toBeGreaterThan(290);
  // A pause of this length would outlast the test.
  const slow_ms = 10_000_000;
  look({ playback: { mode: 'auto', slow_ms } });
  await perform(observedNode('b', { needsPage: false }));
  await perform(observedNode('c', { skip: 'when: is false' }));
  look({ playback: { mode: 'off', slow_ms } });
  await perform(observedNode('d'));
  look({ playback: { mode: 'step', slow_ms }, signal: stop.signal });
  let isOver = false;
  const paused = perform(observedNode('e')).finally(() => {
    isOver = true;
  });
  await page.title();
  expect(isOver).toBe(false);
  stop.abort();
  await paused;
});

test('nothing of it stays on a page that lives on', async () => {
  const before = await page.content();
  look({ hud: { layout: 'docked-bottom' } });
  await perform(observedNode('a'));
  expect(await page.content()).not.toBe(before);
  await onlooker.close();
  expect(await page.content()).toBe(before);
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
  await page.reload();
  expect(await page.content()).toBe(before);
});

test('the words of the HUD never satisfy a wait', async () => {
  stage.stopListening();
  onlooker = openPageRecorder(runPagesOf(page), {
    hud: { showTitle: true },
    title: 'Order placed',
    total: 3,
    record: false,
    video: 'off',
  });
  await onlooker.nodeBegins(observedNode('confirm', { title: 'Verify Order confirmed is shown' }));
  const wait = { action: 'ui.wait_for', timeout_ms: 60_000 };
  const cutShort = { node: 'wait', ms: 800 };
  for (const named of [{ text: 'Order confirmed' }, { text: 'Order placed' }, { selector: 'recipewright-hud' }]) {
    const run = await uiRun(
      page,
      { note: { action: 'app.hud', text: 'Order confirmed' }, wait: { ...wait, ...named } },
      { cutShort },
    );
    expect([run.status, run.ends.get('note')?.output]).toEqual(['fail', { shown: true }]);
  }
  const seen = await uiRun(page, { wait: { ...wait, text: 'Buy' } });
  expect([seen.status, seen.error]).toEqual(['pass', '']);
});

test('app.hud shows its text until the next node, and does nothing where the HUD is off', async () => {
  stage.stopListening();
  const off = await uiRun(page, { note: { action: 'app.hud', text: 'Look here', clear: false, display: { layout: 'card' } } });
  expect([off.error, off.ends.get('note')?.output]).toEqual(['', { shown: false }]);
  onlooker = openPageRecorder(runPagesOf(page), { hud: {}, total: 3, record: false, video: 'off' });
  await onlooker.nodeBegins(observedNode('a'));
  const plain = await page.screenshot();
  await uiRun(page, { note: { action: 'app.hud', text: 'Look here', status: 'fail', title: 'Shop' } });
  expect(difference(plain, await page.screenshot())).toBeGreaterThan(300);
  await uiRun(page, { note: { action: 'app.hud', clear: true } });
  expect(await hudPixels(page)).toBe(0);
  await onlooker.nodeBegins(observedNode('a'));
  expect(await hudPixels(page)).toBeGreaterThan(5_000);
  await onlooker.close();
  expect(hudOf(runPagesOf(page))).toBe(undefined);
});
