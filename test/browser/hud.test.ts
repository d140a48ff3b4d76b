// Only viewers see the HUD: neither the page, nor locators, nor evidence contain it.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withoutHud } from '../../src/browser/hud/hud.js';
import { buildHudContent } from '../../src/browser/hud/hudContent.js';
import { buildHud, hudStyle, paintHud, removeHud } from '../../src/browser/hud/paintHud.js';
import { openPageRecorder, type PageRecorder } from '../../src/browser/pageRecorder.js';
import { RunPages } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { eventMs } from '../support/patience.js';
import { countDifferentPixels, countHudPixels, type HeaderPages, hudHidden, observedNode, serveWithHeaders } from './hudPages.js';

const title = 'Verify Order confirmed is shown';
const shop = '<!doctype html><title>Shop</title><h1>Shop</h1><p>Two mugs</p><button>Buy</button>';

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let runPages: RunPages;
let hud: PageRecorder;

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
  hud = openPageRecorder(runPages, { hud: {}, total: 19, record: false, video: 'off' });
});

afterEach(async () => {
  await hud.close();
  await page.context().close();
});

const show = (): void | Promise<void> => hud.nodeBegins(observedNode('confirm', { title }));

test('a screenshot with the style hudHidden contains no pixel of the HUD', async () => {
  await page.goto(pages.url(shop));
  const before = await page.screenshot();
  await show();
  expect(countDifferentPixels(before, await page.screenshot())).toBeGreaterThan(5_000);
  expect(countDifferentPixels(before, await page.screenshot({ style: hudHidden }))).toBe(0);
  expect(countDifferentPixels(before, await withoutHud(runPages, () => page.screenshot()))).toBe(0);
  await hud.close();
  expect(countDifferentPixels(before, await page.screenshot())).toBe(0);
});

test('no locator, text or snapshot of the page contains the text of the HUD', async () => {
  await page.goto(pages.url(shop));
  await show();
  const session = await page.context().newCDPSession(page);
  const tree = await session.send('Accessibility.getFullAXTree');
  const texts = [
    ...[await page.content(), await page.locator('html').ariaSnapshot(), await page.locator(':root').innerText()],
    ...[await page.locator(':root').textContent(), ...(await page.locator('*').allTextContents())],
    JSON.stringify(tree.nodes.filter(({ ignored }) => !ignored)),
    await page.evaluate(() => {
      const { getSelection, document } = globalThis as unknown as {
        getSelection(): object;
        document: { execCommand(name: string): void };
      };
      document.execCommand('selectAll');
      return String(getSelection());
    }),
  ];
  for (const text of texts) expect(text).not.toMatch(/Order confirmed|RUN|\/19/);
  expect(await page.getByText('Order confirmed').count()).toBe(0);
  expect(await page.getByText('RUN').count()).toBe(0);
  expect(await page.locator(`text=${title}`).count()).toBe(0);
  expect(await countHudPixels(page)).toBeGreaterThan(5_000);
});

test('no plausible selector matches the HUD, and its element is not visible for Playwright', async () => {
  await page.goto(pages.url(shop));
  await show();
  expect(await page.locator('recipewright-hud, [popover], :popover-open, .hud, [aria-hidden]').count()).toBe(0);
  expect(await page.locator('html > *:not(head):not(body)').count()).toBe(1);
  expect(await page.locator('html > *:not(head):not(body)').isVisible()).toBe(false);
  expect(await page.locator('body *').count()).toBe(3);
});

test('the page cannot reach an object or the shadow root of the HUD', async () => {
  await page.addInitScript(`{
    const attach = Element.prototype.attachShadow;
    globalThis.caught = [];
    Element.prototype.attachShadow = function (...given) { const root = attach.apply(this, given); caught.push(root); return root; };
  }`);
  await page.goto(pages.url(shop));
  const names = (): Promise<string> =>
    page.evaluate('[...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertySymbols(globalThis).map(String)].join()');
  const before = await names();
  await show();
  expect(await names()).toBe(before);
  expect(await page.evaluate('caught.length')).toBe(0);
  expect(await page.evaluate('document.documentElement.lastElementChild.shadowRoot')).toBe(null);
});

test('a click passes through the HUD, and the HUD does not take the focus', async () => {
  const html =
    '<body style="margin:0"><input autofocus><button style="position:fixed;inset:auto 0 0 0;height:60px" onclick="this.textContent=\'Bought\'">Buy</button>';
  await page.goto(pages.url(html));
  await page.locator('input').focus();
  await show();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
  await page.getByRole('button', { name: 'Buy' }).click({ timeout: eventMs });
  await page.mouse.click(240, 280);
  expect(await page.getByRole('button').textContent()).toBe('Bought');
  expect(await countHudPixels(page)).toBeGreaterThan(5_000);
});

test('without a CDP session, the functions of the HUD work in the main world of the page', async () => {
  await page.goto(pages.url(shop));
  const content = buildHudContent({ status: 'running', intent: title }, { layout: 'docked-bottom' });
  expect(await page.evaluate(paintHud, content)).toBe(false);
  await page.evaluate(buildHud, { tag: 'recipewright-hud-abc', style: hudStyle });
  expect(await page.evaluate(paintHud, content)).toBe(true);
  expect(await countHudPixels(page)).toBeGreaterThan(5_000);
  expect(await page.getByText('Order confirmed').count()).toBe(0);
  await page.evaluate(removeHud);
  expect(await countHudPixels(page)).toBe(0);
});
