// The HUD stays visible after all changes of a page, and does not affect the page.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withoutHud } from '../../src/browser/hud/hud.js';
import { openPageRecorder, type PageRecorder } from '../../src/browser/pageRecorder.js';
import { RunPages } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { countDifferentPixels, countHudPixels, type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

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

describe.each<[string, Record<string, string>]>([
  ['a strict style-src', { 'content-security-policy': "style-src 'self'; default-src 'self'" }],
  ['trusted types', { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types none" }],
  ['no scripts at all', { 'content-security-policy': "default-src 'none'; script-src 'none'" }],
  ['a sandbox', { 'content-security-policy': 'sandbox' }],
])('on a page with %s', (_, headers) => {
  test('the HUD is visible, can be hidden, and violates no content security policy', async () => {
    const consoleTexts: string[] = [];
    page.on('console', (message) => consoleTexts.push(message.text()));
    await page.goto(pages.url(shop, headers));
    const before = await page.screenshot();
    await show();
    expect(countDifferentPixels(before, await page.screenshot())).toBeGreaterThan(5_000);
    expect(countDifferentPixels(before, await withoutHud(runPages, () => page.screenshot()))).toBe(0);
    expect(consoleTexts.filter((text) => !text.includes('favicon'))).toEqual([]);
  });
});

test('the HUD reappears after a navigation, a reload, setContent and document.write', async () => {
  await page.goto(pages.url(shop));
  await show();
  await page.goto(pages.url('<h1>Cart</h1>'));
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  await page.reload();
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  await page.setContent('<h1>Paid</h1>');
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  await page.evaluate('document.open(), document.write("<h1>Written</h1>"), document.close()');
  await hud.nodeEnds(observedNode('confirm', { title }), passed);
  expect(await countHudPixels(page)).toBeGreaterThan(5_000);
});

test('the HUD stays above a modal dialog, a popover and a full-screen element', async () => {
  const html = `<dialog style="inset:0;width:100vw;height:100vh;margin:0;max-width:none;max-height:none;background:#fff">Modal</dialog>
    <div popover style="inset:0;width:100vw;height:100vh;background:#fff">Popover</div><main style="background:#fff">Full</main>`;
  await page.goto(pages.url(html));
  await show();
  await page.evaluate('document.querySelector("main").requestFullscreen()');
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  expect(await page.evaluate('document.fullscreenElement.tagName')).toBe('MAIN');
  await page.evaluate('document.exitFullscreen()');
  await page.evaluate('document.querySelector("dialog").showModal()');
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  await page.evaluate('document.querySelector("dialog").close(), document.querySelector("[popover]").showPopover()');
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
});

test('the HUD is also shown in a popup', async () => {
  await page.goto(pages.url(shop));
  await show();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void open(${JSON.stringify(pages.url('<h1>Popup</h1>'))})`),
  ]);
  await popup.waitForLoadState();
  await expect.poll(() => countHudPixels(popup)).toBeGreaterThan(2_000);
});

test('styles of the page do not affect the HUD', async () => {
  await page.goto(pages.url(shop));
  await show();
  const clip = { x: 0, y: 230, width: 480, height: 70 };
  const plain = await page.screenshot({ clip });
  const rude =
    'div,span,*{color:red!important;font:40px serif!important;text-transform:uppercase;letter-spacing:9px;direction:rtl;background:yellow}';
  await page.goto(pages.url(`<style>${rude}</style><body style="background:#fff">`));
  await expect.poll(() => countHudPixels(page)).toBeGreaterThan(5_000);
  await page.addStyleTag({ content: '*{background:#fff!important}' });
  expect(countDifferentPixels(plain, await page.screenshot({ clip }))).toBeLessThan(50);
});
