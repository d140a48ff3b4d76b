// Videos are encoded in an invisible page, or in a separate browser, which can fail or hang.
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
import { decodeVideo } from '../support/video.js';
import { type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

const clock = `<!doctype html><body style="background:#fff"><h1>0</h1><script>
  const seen = [];
  for (const name of ['blur', 'focus']) addEventListener(name, () => seen.push(name));
  document.addEventListener('visibilitychange', () => seen.push('visibilitychange'));
  setInterval(() => document.querySelector('h1').textContent++, 20);
</script>`;

/** Long enough for a busy machine. */
const answerTimeoutMs = eventMs;

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let dir: string;
let recorder: PageRecorder | undefined;

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
  await recorder?.close();
  await page.context().close();
  rmSync(dir, { recursive: true });
});

const proof = observedNode('add', { record: 'proof_window', proofTarget: 'AC1' });

/** Opens a proof window in which the page changes several times. */
async function recordPage(runPages: RunPages): Promise<PageRecorder> {
  recorder = openPageRecorder(runPages, { hud: false, total: 5, record: true, video: 'on' });
  await runPages.page.goto(pages.url(clock));
  await recorder.nodeBegins(proof);
  await runPages.page.waitForFunction(`Number(document.querySelector('h1').textContent) >= 20`);
  // After a screenshot, at least one frame of the screencast has arrived.
  await runPages.page.screenshot();
  return recorder;
}

const failure = new RecipeError('ui.refused', 'action', 'The button is gone.');

async function takeVideo(recorder: PageRecorder): Promise<Uint8Array> {
  const { captures = [], issues = [] } = await recorder.nodeEnds(proof, { final: true, captures: 0, failure });
  const messages = issues.filter(({ source }) => source === 'recording').map(({ message }) => message);
  expect(messages).toEqual([]);
  expect(captures.map(({ path }) => path)).toContain('videos/AC1.webm');
  return captures.find(({ type }) => type === 'video')?.body ?? Buffer.alloc(0);
}

/** Replaces the browser that encodes with a shell script. */
function replaceBrowser(script: string): string {
  const program = join(dir, 'browser');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setBrowserVariable(program);
  return program;
}

function setBrowserVariable(program: string): void {
  const before = process.env.RECIPEWRIGHT_BROWSER;
  process.env.RECIPEWRIGHT_BROWSER = program;
  onTestFinished(() => {
    if (before === undefined) delete process.env.RECIPEWRIGHT_BROWSER;
    else process.env.RECIPEWRIGHT_BROWSER = before;
  });
}

/** Returns the URLs of all pages of the browser, including those that Playwright does not know. */
async function listPageUrls(of: Browser): Promise<string[]> {
  const root = await of.newBrowserCDPSession();
  const { targetInfos } = await root.send('Target.getTargets');
  await root.detach();
  return targetInfos.filter(({ type }) => type === 'page').map(({ url }) => url);
}

test('neither the app under test nor Playwright notices the page in which a video is encoded', async () => {
  await page.goto(pages.url(clock));
  const noticedPages: string[] = [];
  page.context().on('page', (other) => noticedPages.push(other.url()));
  page.on('popup', (other) => noticedPages.push(other.url()));
  const runPages = new RunPages(page, { isOwn: true, answerTimeoutMs });
  const contexts = browser.contexts();
  const encoder = await openEncoderPage(runPages, new AbortController().signal);
  const isEncoderOpen = async (): Promise<boolean> =>
    (await listPageUrls(browser)).some((url) => url.includes('encoder.recipewright'));
  expect(await isEncoderOpen()).toBe(true);
  expect([browser.contexts(), page.context().pages()]).toEqual([contexts, [page]]);
  expect(await encoder.call(() => 6 * 7, undefined)).toBe(42);
  await encoder.close();
  expect(await isEncoderOpen()).toBe(false);
  expect(await page.evaluate('[seen, document.visibilityState, document.hasFocus()]')).toEqual([[], 'visible', true]);
  expect([browser.contexts(), page.context().pages(), noticedPages]).toEqual([contexts, [page], []]);
});

test('a video of an attached app is encoded without opening a page in the app', async () => {
  const created: string[] = [];
  const root = await browser.newBrowserCDPSession();
  const recorder = await recordPage(new RunPages(page, { isOwn: false, answerTimeoutMs }));
  root.on('Target.targetCreated', ({ targetInfo }) => created.push(targetInfo.targetId));
  await root.send('Target.setDiscoverTargets', { discover: true });
  created.length = 0;
  const video = await takeVideo(recorder);
  await root.detach();
  expect(created).toEqual([]);
  expect(await decodeVideo(browser, video, [0])).toMatchObject({ width: 480, height: 300 });
});

test('a video of a persistent context is encoded without opening a page in it', async () => {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  const context = await chromium.launchPersistentContext(join(dir, 'profile'), launchOptions);
  try {
    const openedPages: string[] = [];
    const [first = await context.newPage()] = context.pages();
    context.on('page', (other) => openedPages.push(other.url()));
    const video = await takeVideo(await recordPage(new RunPages(first, { isOwn: true, answerTimeoutMs })));
    expect(openedPages).toEqual([]);
    expect((await decodeVideo(browser, video, [0])).durationMs).toBeGreaterThanOrEqual(500);
  } finally {
    await context.close();
  }
});

test('a browser that closes during a proof window leaves a video of the frames so far', async () => {
  const other = await startChromium();
  const recorder = await recordPage(
    new RunPages(await freshPage(other, { viewport: { width: 480, height: 300 } }), { isOwn: true, answerTimeoutMs }),
  );
  await other.close();
  const { pictures } = await decodeVideo(browser, await takeVideo(recorder), [0]);
  expect(Math.min(...(pictures[0]?.pixel(400, 200) ?? [0]))).toBeGreaterThan(200);
});

test.for([
  [
    'does not start',
    'exit 3',
    /A proof window has no video: .*browser ended unexpectedly \(exit code 3\); single frames were saved/,
  ],
  [
    'does not exist',
    undefined,
    /A proof window has no video: RECIPEWRIGHT_BROWSER is "\/nowhere", but there is no such file\.; single frames/,
  ],
] as const)(
  'with an encoder that %s, a run stores single frames instead of a video and adds a message',
  async ([, script, message]) => {
    const recorder = await recordPage(new RunPages(page, { isOwn: false, answerTimeoutMs }));
    if (script === undefined) setBrowserVariable('/nowhere');
    else replaceBrowser(script);
    await recorder.nodeEnds(proof, passed);
    await recorder.nodeBegins(observedNode('done'));
    const { captures = [], issues = [], failure: failed } = await recorder.nodeEnds(observedNode('done'), passed);
    expect(captures[0]?.path).toBe('videos/AC1/frame-001.jpg');
    expect([...(captures[0]?.body.subarray(0, 2) ?? [])]).toEqual([0xff, 0xd8]);
    expect(issues).toMatchObject([{ level: 'info', source: 'recording', message: expect.stringMatching(message) }]);
    expect(issues[0]?.message).toContain('Run "recipewright doctor"');
    expect(failed).toBe(undefined);
  },
);

test('an encoder that hangs is killed with all its processes after the timeout', async () => {
  const pid = join(dir, 'pid');
  replaceBrowser(`sleep 600 & echo $! > ${pid}.new; mv ${pid}.new ${pid}; wait`);
  const runPages = new RunPages(page, { isOwn: false, answerTimeoutMs });
  const frame = { atMs: 0, data: await page.screenshot({ type: 'jpeg' }), width: 480, height: 300 };
  const videoInput = { frames: [frame], lengthMs: 500, width: 480, height: 300 };
  let hasStarted: Promise<void> | undefined;
  const open = (signal: AbortSignal): ReturnType<typeof openEncoderPage> => {
    hasStarted = expect.poll(() => existsSync(pid), { timeout: eventMs }).toBe(true) as Promise<void>;
    return openEncoderPage(runPages, signal);
  };
  expect(await encodeVideo(videoInput, { open, limitMs: 3_000 })).toEqual({
    problem: 'the encoder did not answer within 3000 ms',
  });
  await hasStarted;
  await expect.poll(() => isAlive(Number(readFileSync(pid, 'utf8'))), { timeout: eventMs }).toBe(false);
});

test('an interruption ends the encoding of a video at once', async () => {
  const started = join(dir, 'started');
  const recorder = await recordPage(new RunPages(page, { isOwn: false, answerTimeoutMs }));
  replaceBrowser(`touch ${started}; exec sleep 600`);
  const stop = new AbortController();
  const ending = recorder.nodeEnds(proof, { final: true, captures: 0, failure, signal: stop.signal });
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
    // ESRCH: there is no such process.
    return false;
  }
}
