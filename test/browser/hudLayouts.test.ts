// The display options of the HUD.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withoutHud } from '../../src/browser/hud/hud.js';
import { buildHudContent, firstErrorLine } from '../../src/browser/hud/hudContent.js';
import type { HudDisplay } from '../../src/browser/hud/hudDisplay.js';
import { openPageRecorder, type PageRecorder } from '../../src/browser/pageRecorder.js';
import { decodePng } from '../../src/browser/pngImage.js';
import { RunPages } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { type HeaderPages, observedNode, serveWithHeaders } from './hudPages.js';

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
  page = await freshPage(browser, { viewport: { width: 800, height: 300 } });
  await page.goto(
    pages.url(
      '<body style="margin:0;height:290px"><p id=last style="position:relative;top:270px;margin:0;height:20px;color:white">Last',
    ),
  );
  runPages = new RunPages(page, { isOwn: true });
});

afterEach(async () => {
  await recorder.close();
  await page.context().close();
});

async function show(display: HudDisplay): Promise<Box> {
  recorder = openPageRecorder(runPages, { hud: display, title: 'Close the position', total: 19, record: false, video: 'off' });
  await recorder.nodeBegins(observedNode('open', { detail: 'One\ntwo three', proofTarget: 'AC1' }));
  return darkBox(await page.screenshot());
}

type Box = { left: number; top: number; right: number; bottom: number };

/** Returns the bounding box of the dark pixels in a screenshot of a white page. */
function darkBox(png: Uint8Array): Box {
  const { width, height, channels, pixels } = decodePng(png);
  const box = { left: width, top: height, right: 0, bottom: 0 };
  const isDark = (x: number, y: number): boolean => {
    const at = (y * width + x) * channels;
    return (pixels[at] ?? 255) < 40 && (pixels[at + 1] ?? 255) < 50 && (pixels[at + 2] ?? 255) < 60 && (pixels[at + 2] ?? 0) > 30;
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (isDark(x, y)) {
        box.left = Math.min(box.left, x);
        box.right = Math.max(box.right, x + 1);
        box.top = Math.min(box.top, y);
        box.bottom = Math.max(box.bottom, y + 1);
      }
  return box;
}

test('the HUD is a one-line bar at the bottom of the page by default', async () => {
  const { left, top, right, bottom } = await show({});
  expect([left > 10 && left < 20, right > 780 && right < 790, bottom > 280 && bottom < 290]).toEqual([true, true, true]);
  expect(bottom - top).toBeLessThan(45);
});

test.for<[HudDisplay['position'], (box: Box) => boolean]>([
  ['top', ({ top, bottom }) => top < 20 && bottom < 60],
  ['top-left', ({ left, top }) => left < 20 && top < 20],
  ['bottom-right', ({ right, bottom }) => right > 780 && bottom > 280],
])('the HUD is shown at the position %s', async ([position, holds]) => {
  const box = await show({ position, width: 300 });
  expect([holds(box), Math.abs(box.right - box.left - 300) < 8]).toEqual([true, true]);
});

test('the HUD with the layout card is a box in a corner', async () => {
  const { left, right, top, bottom } = await show({ layout: 'card', position: 'top-right', showTitle: true });
  expect([right > 780, top < 20, right - left > 340 && right - left < 365, bottom - top > 60]).toEqual([true, true, true, true]);
});

test('the page reserves space for a docked HUD, except in a screenshot without the HUD', async () => {
  const room = (): Promise<[number, string]> =>
    page.evaluate('[document.documentElement.scrollHeight, getComputedStyle(document.documentElement).paddingBottom]');
  expect(await room()).toEqual([300, '0px']);
  const { left, right, top, bottom } = await show({ layout: 'docked-bottom' });
  expect([left < 8, right, bottom]).toEqual([true, 800, 300]);
  const [height = 0, padding] = await room();
  expect(Math.abs(Number.parseInt(String(padding), 10) - (300 - top))).toBeLessThanOrEqual(1);
  expect(height).toBeGreaterThan(320);
  await page.evaluate('scrollTo(0, 9_999)');
  const end = (await page.locator('#last').boundingBox()) ?? { y: 999, height: 0 };
  expect(end.y + end.height).toBeLessThanOrEqual(top);
  expect(await withoutHud(runPages, room)).toEqual([300, '0px']);
});

test('the HUD shows detail and debug lines only when they are enabled', async () => {
  const state = { status: 'running', intent: 'Buy', detail: 'More', debug: 'a · b', title: 'Shop' } as const;
  const texts = (display: HudDisplay): string[] => {
    const { parts, lines } = buildHudContent(state, display);
    return [...parts, ...lines].map(({ text }) => text);
  };
  expect(texts({})).toEqual(['RUN', 'Buy']);
  expect(texts({ showTitle: true })).toEqual(['RUN', 'Shop', 'Buy']);
  expect(texts({ showDetail: true, showDebug: true })).toEqual(['RUN', 'Buy', 'More', 'a · b']);
  expect(texts({ showDetail: true, maxDetailLines: 0 })).toEqual(['RUN', 'Buy']);
  const one = await show({ showDetail: true, showDebug: true, maxDetailLines: 1 });
  expect(one.bottom - one.top).toBeGreaterThan(65);
});

test('the node count of the HUD never exceeds its total', () => {
  const { parts } = buildHudContent({ status: 'pass', intent: 'Loop', count: { current: 25, total: 19 } }, {});
  expect(parts.map(({ text }) => text).join(' ')).toBe('PASS 25/25 Loop');
});

test('the HUD shows the first line of an error, without the stack', () => {
  expect(firstErrorLine('Error: the total is 3\n    at shop (a.js:1:1)\nmore')).toBe('Error: the total is 3');
  expect(firstErrorLine(`\n${'x'.repeat(400)}`)).toHaveLength(180);
  expect(buildHudContent({ status: 'fail', intent: 'Buy', error: 'No' }, {}).lines).toEqual([
    { name: 'error', text: 'No', maxLines: 2 },
  ]);
});

test('the HUD ignores an invalid width', () => {
  const toWidth = (width: string | number): string | undefined =>
    buildHudContent({ status: 'pass', intent: '' }, { width }).width;
  expect(['50%', 300, '20em', '1px;color:red', 'calc(1px)', '-3px'].map(toWidth)).toEqual([
    '50%',
    '300px',
    '20em',
    undefined,
    undefined,
    undefined,
  ]);
});
