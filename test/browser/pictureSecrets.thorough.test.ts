// No screenshot shows the value of a secret: two runs with different secrets of the same width have identical screenshots.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterEach, expect, test, vi } from 'vitest';
import { openPageRecorder } from '../../src/browser/pageRecorder.js';
import { decodePng, type PngImage } from '../../src/browser/pngImage.js';
import { RunPages } from '../../src/browser/runPages.js';
import { openVault } from '../../src/secrets/vault.js';
import { sha256 } from '../../src/system/files/files.js';
import { freshPage } from '../support/chromium.js';
import { echoInputs, echoNodes, echoPage, echoSecrets } from '../support/echoPage.js';
import { recipe } from '../support/recipe.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';
import { passed } from './hudPages.js';
import { plainProject } from './plainProject.js';
import { failed, press } from './recordingPages.js';

const ui = await uiPage();
const values = echoSecrets;
const openPages: Page[] = [];
afterEach(async () => {
  for (const page of openPages.splice(0)) await page.context().close();
});

const viewport = { width: 600, height: 400 };
const createRunPages = (page: Page, secret: string): RunPages =>
  new RunPages(page, { isOwn: true, secretsIn: openVault(new Map([['token', secret]])).findRanges });

/** Opens a page of a run with this secret. */
async function openPageFor(secret: string): Promise<{ page: Page; runPages: RunPages }> {
  const page = await freshPage(ui.browser, { viewport });
  openPages.push(page);
  return { page, runPages: createRunPages(page, secret) };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const style = '<style>*{font:16px monospace;caret-color:transparent}</style><p id=open>Welcome, token follows</p>';
/** One page per secret, reused by all runs that only open a page and take a screenshot. */
const pagesBySecret = new Map<string, Promise<Page>>();
async function reusePage(secret: string): Promise<Page> {
  const page = pagesBySecret.get(secret) ?? freshPage(ui.browser, { viewport });
  pagesBySecret.set(secret, page);
  createRunPages(await page, secret);
  return page;
}

/** Runs once per secret. Returns the screenshots of the page that `htmlOf` creates for the secret. */
async function takeScreenshots(htmlOf: (secret: string) => string, shot: object = {}): Promise<PngImage[]> {
  const all: PngImage[] = [];
  for (const secret of values) {
    const page = await reusePage(secret);
    const run = await uiRun(page, { open: ui.open(htmlOf(secret)), shot: { action: 'ui.screenshot', ...shot } });
    expect(run.error).toBe('');
    all.push(...run.pictures.map(({ body }) => decodePng(body)));
    expect(
      await page.evaluate(
        'document.querySelectorAll("[data-recipewright-covers]").length + document.adoptedStyleSheets.length + CSS.highlights.size',
      ),
    ).toBe(0);
  }
  return all;
}

const inFrame = (html: string): string => `<iframe style="border:0" srcdoc="${escapeHtml(style + html)}"></iframe>`;
const pagesWithSecret: Readonly<Record<string, (secret: string) => string>> = {
  'as text': (secret) => `<p>${escapeHtml(secret)}</p>`,
  'as text of the body, next to other text': (secret) => `before ${escapeHtml(secret)} after`,
  'encoded as a URL': (secret) => `<p>?token=${encodeURIComponent(secret)}</p>`,
  'escaped for HTML': (secret) => `<p>${escapeHtml(escapeHtml(secret))}</p>`,
  'split into several elements': (secret) =>
    `<p>${escapeHtml(secret.slice(0, 5))}<b>${escapeHtml(secret.slice(5, 9))}</b>${escapeHtml(secret.slice(9))}</p>`,
  'with a text shadow, a stroke and colours': (secret) =>
    `<style>p{text-shadow:2px 2px 1px red;-webkit-text-stroke:1px blue;-webkit-text-fill-color:green!important;color:red!important}</style><p>${escapeHtml(secret)}</p>`,
  'as a gradient': (secret) =>
    `<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;-webkit-text-fill-color:transparent">${escapeHtml(secret)}</p>`,
  'as SVG text': (secret) => `<svg width=300 height=40><text x=5 y=20>${escapeHtml(secret)}</text></svg>`,
  'in a field': (secret) => `<input value="${escapeHtml(secret)}">`,
  'as a placeholder': (secret) => `<input placeholder="${escapeHtml(secret)}">`,
  'in a text area': (secret) => `<textarea>${escapeHtml(secret)}</textarea>`,
  'in a list': (secret) => `<select><option>${escapeHtml(secret)}</select>`,
  'in an open list': (secret) => `<select size=3><option>a<option>${escapeHtml(secret)}</select>`,
  'on a button': (secret) => `<button>${escapeHtml(secret)}</button><input type=button value="${escapeHtml(secret)}">`,
  'as the alternative text of an image': (secret) => `<img src="data:," alt="${escapeHtml(secret)}">`,
  'in a frame': (secret) => inFrame(`<p>${escapeHtml(secret)}</p>`),
  'in a shadow root': (secret) =>
    `<div><template shadowrootmode=open><p>${escapeHtml(secret)}</p><input value="${escapeHtml(secret)}"></template></div>`,
  'in a dialog': (secret) =>
    `<dialog id=d>${escapeHtml(secret)}</dialog><script>d.showModal(); document.activeElement.blur()</script>`,
  'as selected text': (secret) =>
    `<style>::selection{color:white;background:black}</style><p id=s>${escapeHtml(secret)}</p><script>getSelection().selectAllChildren(s)</script>`,
  'in an animated element': (secret) =>
    `<style>@keyframes m{to{color:red}}p{animation:m 50ms infinite alternate}#open{animation:none}</style><p>${escapeHtml(secret)}</p>`,
};

test.for(Object.entries(pagesWithSecret))('a secret that the page shows %s is in no screenshot', async ([, htmlOf]) => {
  const [one, other] = await takeScreenshots((secret) => style + htmlOf(secret));
  expect(one && other && Buffer.compare(one.pixels, other.pixels)).toBe(0);
});

const header = (secret: string): string =>
  `${style}<p style="position:fixed;top:0;left:0">${escapeHtml(secret)}</p><div style="height:1500px;background:linear-gradient(red,blue)"></div>
  <p>${escapeHtml(secret)}</p><script>scrollTo(0, 300)</script>`;

test.for([{ full_page: true }, { clip: { x: 0, y: 0, width: 300, height: 100 } }])(
  'a secret is in no screenshot with the options %j',
  async (fields) => {
    const [one, other] = await takeScreenshots(header, fields);
    expect(one && other && Buffer.compare(one.pixels, other.pixels)).toBe(0);
  },
);

test('a screenshot covers the secret and no other text', async () => {
  const { page } = await openPageFor(values[0]);
  const html = `${style}<body style="margin:0">before <span>${escapeHtml(values[0])}</span> after`;
  const run = await uiRun(page, { open: ui.open(html), shot: { action: 'ui.screenshot' } });
  const { x, y, width, height } = (await page.locator('span').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const picture = decodePng(run.pictures[0]?.body ?? Buffer.alloc(0));
  const isMagenta = (left: number, top: number): boolean => {
    const at = (Math.round(top) * picture.width + Math.round(left)) * picture.channels;
    return Buffer.from(picture.pixels.subarray(at, at + 3)).toString('hex') === 'ff00ff';
  };
  const middle = y + height / 2;
  expect([
    isMagenta(x + 2, middle),
    isMagenta(x + width - 2, middle),
    isMagenta(x - 3, middle),
    isMagenta(x + width + 3, middle),
  ]).toEqual([true, true, false, false]);
});

test('a secret that appears during the screenshot is not in it', async () => {
  const all: PngImage[] = [];
  for (const secret of values) {
    const { page } = await openPageFor(secret);
    const take = page.screenshot.bind(page);
    page.screenshot = async (options) => {
      page.screenshot = take;
      await page.evaluate(
        (text) => void (globalThis as never as { document: { body: { append(text: string): void } } }).document.body.append(text),
        secret,
      );
      return take(options);
    };
    const run = await uiRun(page, { open: ui.open(style), shot: { action: 'ui.screenshot' } });
    expect(run.error).toBe('');
    all.push(...run.pictures.map(({ body }) => decodePng(body)));
  }
  expect(Buffer.compare(all[0]?.pixels ?? Buffer.of(0), all[1]?.pixels ?? Buffer.of(1))).toBe(0);
});

test('the automatic screenshots of nodes show no secret, with the HUD and without it', async () => {
  const capturesBySecret: Buffer[][] = [];
  for (const secret of values) {
    const { page, runPages } = await openPageFor(secret);
    const recorder = openPageRecorder(runPages, { hud: {}, total: 2, record: true, video: 'on', hasSecrets: true });
    await page.goto(ui.pages.url(`${style}<p>${escapeHtml(secret)}</p>`));
    const captures: Buffer[] = [];
    for (const [node, end] of [
      [press('a'), passed],
      [{ ...press('b'), record: 'failure_only' as const }, failed()],
    ] as const) {
      await recorder.nodeBegins(node);
      for (const { body } of (await recorder.nodeEnds(node, end)).captures ?? [])
        captures.push(Buffer.from(decodePng(body).pixels));
    }
    await recorder.close();
    capturesBySecret.push(captures);
  }
  expect(capturesBySecret.map(({ length }) => length)).toEqual([6, 6]);
  expect(capturesBySecret[0]?.map((pixels, index) => pixels.compare(capturesBySecret[1]?.[index] ?? Buffer.of()))).toEqual([
    0, 0, 0, 0, 0, 0,
  ]);
});

test('the calls and the journal of a screenshot contain no secret', async () => {
  const [secret] = values;
  const { page } = await openPageFor(secret);
  const options = { inputs: echoInputs, env: { PW: secret }, targets: ['AC1'] };
  const run = await uiRun(page, { open: ui.open(echoPage), ...echoNodes }, options);
  expect([run.error, run.pictures.length]).toEqual(['', 1]);
  const recorded = [...run.calls, ...run.journal].join('\n');
  expect([recorded.includes(secret), recorded.includes(encodeURIComponent(secret))]).toEqual([false, false]);
});

test('recipewright run takes no screenshot that shows a secret', async () => {
  const document = recipe({ open: ui.open(echoPage), ...echoNodes }, { inputs: echoInputs, targets: ['AC1'] });
  const project = plainProject(document);
  const capturesBySecret: string[][] = [];
  for (const [index, secret] of values.entries()) {
    vi.stubEnv('PW', secret);
    const { exitCode, stderr } = await project.run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', `out-${index}`);
    expect(exitCode, stderr).toBe(0);
    const shots = join(project.dir, `out-${index}/screenshots`);
    capturesBySecret.push(
      readdirSync(shots).map((name) => `${name} ${sha256(decodePng(readFileSync(join(shots, name))).pixels)}`),
    );
  }
  expect(capturesBySecret[0]?.length).toBeGreaterThan(4);
  expect(capturesBySecret[0]).toEqual(capturesBySecret[1]);
});
