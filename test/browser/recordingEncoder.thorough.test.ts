// Where videos are encoded: in a page that nobody sees, or in a browser of our own, which may fail or hang.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openPageRecorder, type PageRecorder } from '../../src/browser/pageRecorder.js';
import { openEncoderPage } from '../../src/browser/recording/encoderPage.js';
import { encodeVideo } from '../../src/browser/recording/encodeVideo.js';
import { RunPages } from '../../src/browser/runPages.js';
import { RecipeError } from '../../src/evidence/recipeError.js';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';
import { freshPage, startChromium } from '../support/chromium.js';
import { eventMs } from '../support/patience.js';
import { lookIntoVideo } from '../support/video.js';
import { type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

const clock = `<!doctype html><body style="background:#fff"><h1>0</h1><script>
  const seen = [];
  for (const name of ['blur', 'focus']) addEventListener(name, () => seen.push(name));
  document.addEventListener('visibilitychange', () => seen.push('visibilitychange'));
  setInterval(() => document.querySelector('h1').textContent++, 20);
</script>`;

/** A page on a busy machine is no page that hangs. */
const patienceMs = eventMs;

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let dir: string;
let onlooker: PageRecorder | undefined;

beforeAll(async () => {
  [browser, pages] = [await startChromium(), await serveWithHeaders()];
});

afterAll(async () => {
  await browser.close();
  pages.close();
});

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'recipewright-encoder-test-'));
  page = await freshPage(browser, { viewport: { width: 480, height: 300 } });
});

afterEach(async () => {
  await onlooker?.close();
  await page.context().close();
  rmSync(dir, { recursive: true });
});

const proof = observedNode('add', { record: 'proof_window', proofTarget: 'AC1' });

/** Opens a window in which the page shows some changes. */
async function film(stage: RunPages): Promise<PageRecorder> {
  onlooker = openPageRecorder(stage, { hud: false, total: 5, record: true, video: 'on' });
  await stage.page.goto(pages.url(clock));
  await onlooker.nodeBegins(proof);
  await stage.page.waitForFunction(`Number(document.querySelector('h1').textContent) >= 20`);
  // By now, a frame has been handed over.
  await stage.page.screenshot();
  return onlooker;
}

const failure = new RecipeError('ui.refused', 'action', 'The button is gone.');

async function videoOf(looking: PageRecorder): Promise<Uint8Array> {
  const { captures = [], issues = [] } = await looking.nodeEnds(proof, { final: true, captures: 0, failure });
  const messages = issues.filter(({ source }) => source === 'recording').map(({ message }) => message);
  expect(messages).toEqual([]);
  expect(captures.map(({ path }) => path)).toContain('videos/AC1.webm');
  return captures.find(({ type }) => type === 'video')?.body ?? Buffer.alloc(0);
}

/** A program that is started in place of the browser that encodes. */
function encodeWith(script: string): string {
  const program = join(dir, 'browser');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  nameBrowser(program);
  return program;
}

function nameBrowser(program: string): void {
  const before = process.env.RECIPEWRIGHT_BROWSER;
  process.env.RECIPEWRIGHT_BROWSER = program;
  onTestFinished(() => {
    if (before === undefined) delete process.env.RECIPEWRIGHT_BROWSER;
    else process.env.RECIPEWRIGHT_BROWSER = before;
  });
}

/** The addresses of all pages of the browser, also of those that Playwright does not know. */
async function targetsOf(of: Browser): Promise<string[]> {
  const root = await of.newBrowserCDPSession();
  const { targetInfos } = await root.send('Target.getTargets');
  await root.detach();
  return targetInfos.filter(({ type }) => type === 'page').map(({ url }) => url);
}

test('neither the product nor Playwright notices the page in which a video is encoded', async () => {
  await page.goto(pages.url(clock));
  const noticed: string[] = [];
  page.context().on('page', (other) => noticed.push(other.url()));
  page.on('popup', (other) => noticed.push(other.url()));
  const stage = new RunPages(page, { isOwn: true, patienceMs });
  const contexts = browser.contexts();
  const encoder = await openEncoderPage(stage, new AbortController().signal);
  const isIn = async (): Promise<boolean> => (await targetsOf(browser)).some((url) => url.includes('encoder.recipewright'));
  expect(await isIn()).toBe(true);
  expect([browser.contexts(), page.context().pages()]).toEqual([contexts, [page]]);
  expect(await encoder.call(() => 6 * 7, undefined)).toBe(42);
  await encoder.close();
  expect(await isIn()).toBe(false);
  expect(await page.evaluate('[seen, document.visibilityState, document.hasFocus()]')).toEqual([[], 'visible', true]);
  expect([browser.contexts(), page.context().pages(), noticed]).toEqual([contexts, [page], []]);
});

test('no page is opened in an app that is only attached to, and there is a video all the same', async () => {
  const created: string[] = [];
  const root = await browser.newBrowserCDPSession();
  const looking = await film(new RunPages(page, { isOwn: false, patienceMs }));
  root.on('Target.targetCreated', ({ targetInfo }) => created.push(targetInfo.targetId));
  await root.send('Target.setDiscoverTargets', { discover: true });
  created.length = 0;
  const video = await videoOf(looking);
  await root.detach();
  expect(created).toEqual([]);
  expect(await lookIntoVideo(browser, video, [0])).toMatchObject({ width: 480, height: 300 });
});

test('no page is opened in a context that keeps its profile, and there is a video all the same', async () => {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  const context = await chromium.launchPersistentContext(join(dir, 'profile'), launchOptions);
  try {
    const opened: string[] = [];
    const [first = await context.newPage()] = context.pages();
    context.on('page', (other) => opened.push(other.url()));
    const video = await videoOf(await film(new RunPages(first, { isOwn: true, patienceMs })));
    expect(opened).toEqual([]);
    expect((await lookIntoVideo(browser, video, [0])).durationMs).toBeGreaterThanOrEqual(500);
  } finally {
    await context.close();
  }
});

test('a browser that goes away leaves a video of what it showed', async () => {
  const other = await startChromium();
  const looking = await film(
    new RunPages(await freshPage(other, { viewport: { width: 480, height: 300 } }), { isOwn: true, patienceMs }),
  );
  await other.close();
  const { pictures } = await lookIntoVideo(browser, await videoOf(looking), [0]);
  expect(Math.min(...(pictures[0]?.pixel(400, 200) ?? [0]))).toBeGreaterThan(200);
});

test.for([
  [
    'does not start',
    'exit 3',
    /A proof window has no video: .*browser ended unexpectedly \(exit code 3\); single frames were saved/,
  ],
  [
    'is not there',
    undefined,
    /A proof window has no video: RECIPEWRIGHT_BROWSER is "\/nowhere", but there is no such file\.; single frames/,
  ],
] as const)('an encoder that %s costs the video, not the frames and not the run, which says so', async ([, script, said]) => {
  const looking = await film(new RunPages(page, { isOwn: false, patienceMs }));
  if (script === undefined) nameBrowser('/nowhere');
  else encodeWith(script);
  await looking.nodeEnds(proof, passed);
  await looking.nodeBegins(observedNode('done'));
  const { captures = [], issues = [], failure: failed } = await looking.nodeEnds(observedNode('done'), passed);
  expect(captures[0]?.path).toBe('videos/AC1/frame-001.jpg');
  expect([...(captures[0]?.body.subarray(0, 2) ?? [])]).toEqual([0xff, 0xd8]);
  expect(issues).toMatchObject([{ level: 'info', source: 'recording', message: expect.stringMatching(said) }]);
  expect(issues[0]?.message).toContain('Run "recipewright doctor"');
  expect(failed).toBe(undefined);
});

test('an encoder that hangs is ended with all its processes when its time is over', async () => {
  const pid = join(dir, 'pid');
  encodeWith(`sleep 600 & echo $! > ${pid}.new; mv ${pid}.new ${pid}; wait`);
  const stage = new RunPages(page, { isOwn: false, patienceMs });
  const frame = { atMs: 0, data: await page.screenshot({ type: 'jpeg' }), width: 480, height: 300 };
  const reel = { frames: [frame], lengthMs: 500, width: 480, height: 300 };
  let hasStarted: Promise<void> | undefined;
  const open = (over: AbortSignal): ReturnType<typeof openEncoderPage> => {
    hasStarted = expect.poll(() => existsSync(pid), { timeout: eventMs }).toBe(true) as Promise<void>;
    return openEncoderPage(stage, over);
  };
  expect(await encodeVideo(reel, { open, limitMs: 3_000 })).toEqual({ problem: 'the encoder did not answer within 3000 ms' });
  await hasStarted;
  await expect.poll(() => isAlive(Number(readFileSync(pid, 'utf8'))), { timeout: eventMs }).toBe(false);
});

test('an interruption ends the wait for a video that is being encoded', async () => {
  const started = join(dir, 'started');
  const looking = await film(new RunPages(page, { isOwn: false, patienceMs }));
  encodeWith(`touch ${started}; exec sleep 600`);
  const stop = new AbortController();
  const ending = looking.nodeEnds(proof, { final: true, captures: 0, failure, signal: stop.signal });
  await expect.poll(() => existsSync(started), { timeout: eventMs }).toBe(true);
  stop.abort('SIGINT');
  const { captures = [], issues } = await ending;
  expect(captures.map(({ path }) => path)).toContain('videos/AC1/frame-001.jpg');
  expect(issues).toBe(undefined);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: it is gone.
    return false;
  }
}
