// No picture shows the value of a secret: two runs whose secrets differ, but are of the same width, have the same pictures.
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
const opened: Page[] = [];
afterEach(async () => {
  for (const page of opened.splice(0)) await page.context().close();
});

const viewport = { width: 600, height: 400 };
const putOnStage = (page: Page, secret: string): RunPages =>
  new RunPages(page, { isOwn: true, secretsIn: openVault(new Map([['token', secret]])).findRanges });

/** A page of a run with this secret. */
async function pageFor(secret: string): Promise<{ page: Page; stage: RunPages }> {
  const page = await freshPage(ui.browser, { viewport });
  opened.push(page);
  return { page, stage: putOnStage(page, secret) };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const look = '<style>*{font:16px monospace;caret-color:transparent}</style><p id=open>Welcome, token follows</p>';
/** A page for each of the two secrets, for runs that only open something and take a picture of it. */
const visited = new Map<string, Promise<Page>>();
async function revisit(secret: string): Promise<Page> {
  const page = visited.get(secret) ?? freshPage(ui.browser, { viewport });
  visited.set(secret, page);
  putOnStage(await page, secret);
  return page;
}

/** What each of two runs keeps of a page that shows its own secret. */
async function picturesOf(htmlOf: (secret: string) => string, shot: object = {}): Promise<PngImage[]> {
  const all: PngImage[] = [];
  for (const secret of values) {
    const page = await revisit(secret);
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

const inFrame = (html: string): string => `<iframe style="border:0" srcdoc="${escaped(look + html)}"></iframe>`;
const shown: Readonly<Record<string, (secret: string) => string>> = {
  'as text': (secret) => `<p>${escaped(secret)}</p>`,
  'as text of the body, beside other text': (secret) => `before ${escaped(secret)} after`,
  'encoded for an address': (secret) => `<p>?token=${encodeURIComponent(secret)}</p>`,
  'escaped for HTML': (secret) => `<p>${escaped(escaped(secret))}</p>`,
  'in pieces': (secret) =>
    `<p>${escaped(secret.slice(0, 5))}<b>${escaped(secret.slice(5, 9))}</b>${escaped(secret.slice(9))}</p>`,
  'with a shadow, a stroke and colours of its own': (secret) =>
    `<style>p{text-shadow:2px 2px 1px red;-webkit-text-stroke:1px blue;-webkit-text-fill-color:green!important;color:red!important}</style><p>${escaped(secret)}</p>`,
  'as a gradient': (secret) =>
    `<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;-webkit-text-fill-color:transparent">${escaped(secret)}</p>`,
  'as a drawn text': (secret) => `<svg width=300 height=40><text x=5 y=20>${escaped(secret)}</text></svg>`,
  'in a field': (secret) => `<input value="${escaped(secret)}">`,
  'as a placeholder': (secret) => `<input placeholder="${escaped(secret)}">`,
  'in a text area': (secret) => `<textarea>${escaped(secret)}</textarea>`,
  'in a list': (secret) => `<select><option>${escaped(secret)}</select>`,
  'in an open list': (secret) => `<select size=3><option>a<option>${escaped(secret)}</select>`,
  'on a button': (secret) => `<button>${escaped(secret)}</button><input type=button value="${escaped(secret)}">`,
  'in place of an image': (secret) => `<img src="data:," alt="${escaped(secret)}">`,
  'in a frame': (secret) => inFrame(`<p>${escaped(secret)}</p>`),
  'in a shadow root': (secret) =>
    `<div><template shadowrootmode=open><p>${escaped(secret)}</p><input value="${escaped(secret)}"></template></div>`,
  'in a dialog': (secret) =>
    `<dialog id=d>${escaped(secret)}</dialog><script>d.showModal(); document.activeElement.blur()</script>`,
  'as what is selected': (secret) =>
    `<style>::selection{color:white;background:black}</style><p id=s>${escaped(secret)}</p><script>getSelection().selectAllChildren(s)</script>`,
  'as it moves': (secret) =>
    `<style>@keyframes m{to{color:red}}p{animation:m 50ms infinite alternate}#open{animation:none}</style><p>${escaped(secret)}</p>`,
};

test.for(Object.entries(shown))('a secret that the page shows %s is in no picture', async ([, htmlOf]) => {
  const [one, other] = await picturesOf((secret) => look + htmlOf(secret));
  expect(one && other && Buffer.compare(one.pixels, other.pixels)).toBe(0);
});

const header = (secret: string): string =>
  `${look}<p style="position:fixed;top:0;left:0">${escaped(secret)}</p><div style="height:1500px;background:linear-gradient(red,blue)"></div>
  <p>${escaped(secret)}</p><script>scrollTo(0, 300)</script>`;

test.for([{ full_page: true }, { clip: { x: 0, y: 0, width: 300, height: 100 } }])('nor is it with %j', async (fields) => {
  const [one, other] = await picturesOf(header, fields);
  expect(one && other && Buffer.compare(one.pixels, other.pixels)).toBe(0);
});

test('only the secret is covered', async () => {
  const { page } = await pageFor(values[0]);
  const html = `${look}<body style="margin:0">before <span>${escaped(values[0])}</span> after`;
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

test('a secret that comes with the picture is not in it', async () => {
  const all: PngImage[] = [];
  for (const secret of values) {
    const { page } = await pageFor(secret);
    const take = page.screenshot.bind(page);
    page.screenshot = async (options) => {
      page.screenshot = take;
      await page.evaluate(
        (text) => void (globalThis as never as { document: { body: { append(text: string): void } } }).document.body.append(text),
        secret,
      );
      return take(options);
    };
    const run = await uiRun(page, { open: ui.open(look), shot: { action: 'ui.screenshot' } });
    expect(run.error).toBe('');
    all.push(...run.pictures.map(({ body }) => decodePng(body)));
  }
  expect(Buffer.compare(all[0]?.pixels ?? Buffer.of(0), all[1]?.pixels ?? Buffer.of(1))).toBe(0);
});

test('pictures before, after and of a failure, with the HUD and without it, show none', async () => {
  const kept: Buffer[][] = [];
  for (const secret of values) {
    const { page, stage } = await pageFor(secret);
    const onlooker = openPageRecorder(stage, { hud: {}, total: 2, record: true, video: 'on', hasSecrets: true });
    await page.goto(ui.pages.url(`${look}<p>${escaped(secret)}</p>`));
    const captures: Buffer[] = [];
    for (const [node, end] of [
      [press('a'), passed],
      [{ ...press('b'), record: 'failure_only' as const }, failed()],
    ] as const) {
      await onlooker.nodeBegins(node);
      for (const { body } of (await onlooker.nodeEnds(node, end)).captures ?? [])
        captures.push(Buffer.from(decodePng(body).pixels));
    }
    await onlooker.close();
    kept.push(captures);
  }
  expect(kept.map(({ length }) => length)).toEqual([6, 6]);
  expect(kept[0]?.map((pixels, index) => pixels.compare(kept[1]?.[index] ?? Buffer.of()))).toEqual([0, 0, 0, 0, 0, 0]);
});

test('what is told of the picture holds no secret', async () => {
  const [secret] = values;
  const { page } = await pageFor(secret);
  const options = { inputs: echoInputs, env: { PW: secret }, targets: ['AC1'] };
  const run = await uiRun(page, { open: ui.open(echoPage), ...echoNodes }, options);
  expect([run.error, run.pictures.length]).toEqual(['', 1]);
  const told = [...run.calls, ...run.journal].join('\n');
  expect([told.includes(secret), told.includes(encodeURIComponent(secret))]).toEqual([false, false]);
});

test('the command line keeps a secret out of every picture of its own browser', async () => {
  const document = recipe({ open: ui.open(echoPage), ...echoNodes }, { inputs: echoInputs, targets: ['AC1'] });
  const made = plainProject(document);
  const kept: string[][] = [];
  for (const [index, secret] of values.entries()) {
    vi.stubEnv('PW', secret);
    const { exitCode, stderr } = await made.run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', `out-${index}`);
    expect(exitCode, stderr).toBe(0);
    const shots = join(made.dir, `out-${index}/screenshots`);
    kept.push(readdirSync(shots).map((name) => `${name} ${sha256(decodePng(readFileSync(join(shots, name))).pixels)}`));
  }
  expect(kept[0]?.length).toBeGreaterThan(4);
  expect(kept[0]).toEqual(kept[1]);
});
