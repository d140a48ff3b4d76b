// Videos that are long, uneven, interrupted, or of several pages.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObservedEnd, ObservedNode } from '../../src/browser/nodeObserver.js';
import { openPageRecorder, type PageRecorder, type PageRecorderOptions } from '../../src/browser/pageRecorder.js';
import { openEncoderPage } from '../../src/browser/recording/encoderPage.js';
import { type EncodeResult, encodeVideo, type VideoInput } from '../../src/browser/recording/encodeVideo.js';
import { ProofWindow } from '../../src/browser/recording/proofWindow.js';
import type { ScreencastFrame } from '../../src/browser/recording/screencast.js';
import { createVideoCaptures } from '../../src/browser/recording/videoRecorder.js';
import { RunPages } from '../../src/browser/runPages.js';
import { RecipeError } from '../../src/evidence/recipeError.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { eventMs } from '../support/patience.js';
import { type Colour, decodeVideo } from '../support/video.js';
import { type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

const clock = `<!doctype html><body style="margin:0;background:#fff"><h1>0</h1><script>setInterval(() => document.querySelector('h1').textContent++, 20)</script>`;

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let runPages: RunPages;
let recorder: PageRecorder | undefined;

beforeAll(async () => {
  [browser, pages] = [await sharedChromium(), await serveWithHeaders()];
});

afterAll(async () => {
  await closeContexts(browser);
  pages.close();
});

beforeEach(async () => {
  page = await freshPage(browser, { viewport: { width: 480, height: 300 } });
  // Long enough for a busy machine.
  runPages = new RunPages(page, { isOwn: true, answerTimeoutMs: eventMs });
  await page.goto(pages.url(clock));
});

afterEach(async () => {
  await recorder?.close();
  await page.context().close();
});

const proof = (path: string): ObservedNode => observedNode(path, { record: 'proof_window', proofTarget: 'AC1' });
const window = new ProofWindow(proof('add'));

function record(options: Partial<PageRecorderOptions> = {}): PageRecorder {
  recorder = openPageRecorder(runPages, { hud: false, total: 5, record: true, video: 'on', ...options });
  return recorder;
}

const encode = (videoInput: VideoInput): Promise<EncodeResult> =>
  encodeVideo(videoInput, { open: (signal) => openEncoderPage(runPages, signal) });

type FrameContent = { colour: string; width: number; height: number };

const small = { width: 480, height: 300 };

async function frameOf(atMs: number, { colour, ...size }: FrameContent): Promise<ScreencastFrame> {
  await page.setViewportSize(size);
  await page.goto(pages.url(`<body style="background:${colour}">`));
  return { atMs, data: await page.screenshot({ type: 'jpeg', quality: 60 }), ...size };
}

const tints: readonly [string, Colour][] = [
  ['red', [255, 0, 0]],
  ['blue', [0, 0, 255]],
  ['white', [255, 255, 255]],
  ['black', [0, 0, 0]],
];

/** Tolerates small differences, because codecs change colours slightly. */
function tintOf(colour: Colour): string {
  const isNear = (other: Colour): boolean => other.every((value, channel) => Math.abs(value - (colour[channel] ?? -1)) < 40);
  return tints.find(([, other]) => isNear(other))?.[0] ?? `rgb(${colour})`;
}

/** Waits until the page has changed this many times since it was opened. */
async function waitForChanges(count: number): Promise<void> {
  await page.waitForFunction(`Number(document.querySelector('h1').textContent) >= ${count}`);
}

test('of many single frames, 30 evenly spaced ones are stored, including the first and the last', async () => {
  const frame = await frameOf(0, { colour: 'red', ...small });
  const frames = Array.from({ length: 101 }, (_, index) => ({ ...frame, atMs: index * 100 }));
  const { captures, problem } = await createVideoCaptures(window, { frames, lengthMs: 10_000, wasCut: false }, undefined);
  expect([captures.length, problem]).toEqual([30, undefined]);
  expect(captures.map(({ path }) => path).slice(0, 2)).toEqual(['videos/AC1/frame-001.jpg', 'videos/AC1/frame-002.jpg']);
  expect([captures[0]?.label, captures[29]?.label]).toEqual([
    ...['Frame 1 of 30 of AC1, at 0.0 s', 'Frame 30 of 30 of AC1, at 10.0 s'],
  ]);
});

test('a video of two frames has the original timing, and its label says that it was cut', async () => {
  const frames = [await frameOf(0, { colour: 'red', ...small }), await frameOf(40_000, { colour: 'blue', ...small })];
  const { captures } = await createVideoCaptures(window, { frames, lengthMs: 60_000, wasCut: true }, encode);
  expect(captures[0]?.label).toBe('Video of AC1, its first 60 s');
  const { durationMs, width, height, pictures } = await decodeVideo(browser, captures[0]?.body ?? Buffer.alloc(0), [
    ...[0, 39_900, 40_100, 59_900, 100],
  ]);
  expect({ durationMs, width, height }).toEqual({ durationMs: 60_000, ...small });
  expect(pictures.map(({ pixel }) => tintOf(pixel(240, 150)))).toEqual(['red', 'red', 'blue', 'blue', 'red']);
});

test('a video is at most 1280 pixels wide, and frames of another shape are letterboxed', async () => {
  const frames = [
    await frameOf(0, { colour: 'red', width: 1_600, height: 901 }),
    await frameOf(500, { colour: 'blue', width: 300, height: 600 }),
  ];
  const { captures } = await createVideoCaptures(window, { frames, lengthMs: 1_000, wasCut: false }, encode);
  const videoContent = await decodeVideo(browser, captures[0]?.body ?? Buffer.alloc(0), [250, 750]);
  expect(videoContent).toMatchObject({ durationMs: 1_000, width: 1_280, height: 720 });
  const [wide, narrow] = videoContent.pictures.map(({ pixel }) => [10, 640, 1_270].map((x) => tintOf(pixel(x, 360))));
  expect(wide).toEqual(['red', 'red', 'red']);
  expect(narrow).toEqual(['black', 'blue', 'black']);
});

test('a video that takes too long to encode loses frames but keeps its length', async () => {
  const [red, blue] = [await frameOf(0, { colour: 'red', ...small }), await frameOf(0, { colour: 'blue', ...small })];
  const frames = Array.from({ length: 2_000 }, (_, index) => ({ ...(index < 1_999 ? red : blue), atMs: index * 10 }));
  const videoInput = { frames, lengthMs: 20_000, ...small };
  const encoded = await encodeVideo(videoInput, { open: (signal) => openEncoderPage(runPages, signal), framesMs: 0 });
  expect(encoded).toHaveProperty('video');
  const { video } = encoded as { video: Buffer };
  const { durationMs, pictures } = await decodeVideo(browser, video, [0, 19_980, 19_995]);
  expect(durationMs).toBe(20_000);
  expect(pictures.map(({ pixel }) => tintOf(pixel(240, 150)))).toEqual(['red', 'red', 'blue']);
});

test('a busy page is recorded with at most ten frames per second', async () => {
  const recorder = record();
  await recorder.nodeBegins(proof('add'));
  await waitForChanges(100);
  const { captures = [] } = await recorder.nodeEnds(proof('add'), interrupted);
  const times = captures.flatMap(({ label = '' }) => Number(/^Frame .* at (.*) s$/.exec(label)?.[1] ?? []));
  const last = times.at(-1) ?? 0;
  expect(times.length).toBeGreaterThan(1);
  expect(times.length).toBeLessThanOrEqual(Math.min(30, last * 10 + 2));
});

test('one video shows all pages to which the nodes of a proof window switch', async () => {
  const recorder = record();
  await recorder.nodeBegins(proof('open'));
  const other = await page.context().newPage();
  await other.goto(pages.url('<body style="background:#0000ff">'));
  runPages.switchTo(other);
  await recorder.nodeEnds(proof('open'), passed);
  await recorder.nodeBegins(proof('look'));
  await other.evaluate('document.body.textContent = "Seen"');
  await recorder.nodeEnds(proof('look'), passed);
  await recorder.nodeBegins(observedNode('done'));
  const { captures = [] } = await recorder.nodeEnds(observedNode('done'), passed);
  expect(captures.map(({ path, nodeId }) => [path, nodeId])).toEqual([['videos/AC1.webm', 'open']]);
  const { pictures } = await decodeVideo(browser, captures[0]?.body ?? Buffer.alloc(0), [0, -1]);
  expect(pictures.map(({ pixel }) => tintOf(pixel(300, 200)))).toEqual(['white', 'blue']);
});

test('parallel nodes share a proof window', async () => {
  const recorder = record();
  await Promise.all([recorder.nodeBegins(proof('both/a')), recorder.nodeBegins(proof('both/b'))]);
  const ends = await Promise.all([recorder.nodeEnds(proof('both/a'), passed), recorder.nodeEnds(proof('both/b'), passed)]);
  expect(ends.map(({ captures = [] }) => captures.length)).toEqual([2, 2]);
  await recorder.nodeBegins(observedNode('done'));
  const { captures = [] } = await recorder.nodeEnds(observedNode('done'), passed);
  expect(captures.map(({ path }) => path)).toEqual(['videos/AC1.webm']);
});

const interrupted: ObservedEnd = {
  final: true,
  captures: 0,
  failure: new RecipeError('run.interrupted', 'interrupted', 'The run was interrupted: SIGINT.'),
};

test('an interrupted run takes no further screenshot and encodes no video', async () => {
  const recorder = record();
  await recorder.nodeBegins(proof('add'));
  await waitForChanges(20);
  const { captures = [], issues } = await recorder.nodeEnds(proof('add'), interrupted);
  expect(captures.map(({ path }) => path).slice(0, 2)).toEqual(['screenshots/add-before.png', 'videos/AC1/frame-001.jpg']);
  expect([issues, captures.some(({ path }) => path.includes('after'))]).toEqual([undefined, false]);
});
