// Videos at their limits: long, uneven, interrupted, over several pages, and by an ffmpeg that fails.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPageOnlooker, type PageOnlooker, type PageOnlookerOptions } from '../../src/browser/pageOnlooker.js';
import type { FilmFrame } from '../../src/browser/recording/film.js';
import { ProofWindow } from '../../src/browser/recording/proofWindow.js';
import { videoCaptures } from '../../src/browser/recording/videoCaptures.js';
import { Stage } from '../../src/browser/stage.js';
import { RecipeError } from '../../src/evidence/failure.js';
import type { SeenEnd, SeenNode } from '../../src/run/onlooker.js';
import { findFfmpeg } from '../../src/system/ffmpeg.js';
import { freshPage, startChromium } from '../support/chromium.js';
import { type HeaderPages, passed, seenNode, serveWithHeaders } from './hudPages.js';

const clock = `<!doctype html><body style="margin:0;background:#fff"><h1>0</h1><script>setInterval(() => document.querySelector('h1').textContent++, 20)</script>`;

let browser: Browser;
let pages: HeaderPages;
let page: Page;
let stage: Stage;
let onlooker: PageOnlooker | undefined;
let dir: string;

beforeAll(async () => {
  [browser, pages] = [await startChromium(), await serveWithHeaders()];
});

afterAll(async () => {
  await browser.close();
  pages.close();
});

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'recipewright-video-test-'));
  page = await freshPage(browser, { viewport: { width: 480, height: 300 } });
  stage = new Stage(page, { isOwn: true });
  await page.goto(pages.url(clock));
});

afterEach(async () => {
  await onlooker?.close();
  await page.context().close();
  rmSync(dir, { recursive: true });
});

const proof = (path: string): SeenNode => seenNode(path, { record: 'proof_window', proofTarget: 'AC1' });
const window = new ProofWindow(proof('add'));

function record(options: Partial<PageOnlookerOptions> = {}): PageOnlooker {
  onlooker = openPageOnlooker(stage, { hud: false, total: 5, record: true, video: 'on', ...options });
  return onlooker;
}

async function framesOf(times: readonly number[], size = { width: 480, height: 300 }): Promise<FilmFrame[]> {
  await page.setViewportSize(size);
  const data = await page.screenshot({ type: 'jpeg', quality: 60 });
  return times.map((atMs) => ({ atMs, data, ...size }));
}

function lengthOf(video: Uint8Array | undefined): { seconds: number; size: string } {
  writeFileSync(join(dir, 'a.webm'), video ?? Buffer.alloc(0));
  const asked = ['-v', 'error', '-show_entries', 'format=duration:stream=width,height', '-of', 'json', join(dir, 'a.webm')];
  const { format, streams } = JSON.parse(execFileSync('ffprobe', asked).toString());
  return { seconds: Number(format.duration), size: `${streams[0].width}x${streams[0].height}` };
}

test('of many frames thirty are kept, evenly, the first and the last among them', async () => {
  const frames = await framesOf(Array.from({ length: 101 }, (_, index) => index * 100));
  const { captures, problem } = await videoCaptures(window, { frames, lengthMs: 10_000, wasCut: false }, undefined);
  expect([captures.length, problem]).toEqual([30, expect.stringContaining('no ffmpeg')]);
  expect(captures.map(({ path }) => path).slice(0, 2)).toEqual(['videos/AC1/frame-001.jpg', 'videos/AC1/frame-002.jpg']);
  expect([captures[0]?.label, captures[29]?.label]).toEqual([
    ...['Frame 1 of 30 of AC1, at 0.0 s', 'Frame 30 of 30 of AC1, at 10.0 s'],
  ]);
});

test('a page that stands still for a minute gives a minute of video, and says that it was cut', async () => {
  const frames = await framesOf([0, 40_000]);
  const { captures } = await videoCaptures(window, { frames, lengthMs: 60_000, wasCut: true }, findFfmpeg());
  expect(Math.round(lengthOf(captures[0]?.body).seconds)).toBe(60);
  expect(captures[0]?.label).toBe('Video of AC1, its first 60 s');
});

test('a video is at most 1280 wide, and frames of another shape fit in', async () => {
  const frames = [
    ...(await framesOf([0], { width: 1_600, height: 901 })),
    ...(await framesOf([500], { width: 300, height: 600 })),
  ];
  const { captures } = await videoCaptures(window, { frames, lengthMs: 1_000, wasCut: false }, findFfmpeg());
  expect(lengthOf(captures[0]?.body)).toEqual({ seconds: 1, size: '1280x720' });
});

test('a busy page gives no more than ten frames a second', async () => {
  const looking = record({ ffmpeg: false });
  await looking.nodeBegins(proof('add'));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await looking.nodeEnds(proof('add'), passed);
  const began = performance.now();
  await looking.nodeBegins(seenNode('done'));
  const { captures = [] } = await looking.nodeEnds(seenNode('done'), passed);
  const last = Number(/at (.*) s$/.exec(captures.at(-1)?.label ?? '')?.[1]);
  expect(last).toBeGreaterThan(1);
  expect(captures.length).toBeGreaterThan(3);
  expect(captures.length).toBeLessThanOrEqual(Math.min(30, last * 10 + 2));
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('a window goes on over the pages that its nodes turn to', async () => {
  const looking = record({ ffmpeg: false });
  await looking.nodeBegins(proof('open'));
  const other = await page.context().newPage();
  await other.goto(pages.url('<body style="background:#0000ff">'));
  stage.lookAt(other);
  await looking.nodeEnds(proof('open'), passed);
  await looking.nodeBegins(proof('look'));
  await other.evaluate('document.body.textContent = "Seen"');
  await looking.nodeEnds(proof('look'), passed);
  await looking.nodeBegins(seenNode('done'));
  const { captures = [] } = await looking.nodeEnds(seenNode('done'), passed);
  expect(new Set(captures.map(({ nodeId }) => nodeId))).toEqual(new Set(['open']));
  const tints = captures.map(({ body }) => tintOf(body));
  expect([tints[0], tints.at(-1)]).toEqual(['white', 'blue']);
});

function tintOf(jpeg: Uint8Array): string {
  const said = execFileSync(
    'ffmpeg',
    ['-v', 'error', '-i', '-', '-vf', 'crop=2:2:300:200', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
    { input: jpeg },
  );
  const [red = 0, , blue = 0] = said;
  return red > 200 ? 'white' : blue > 200 ? 'blue' : 'other';
}

test('nodes side by side share a window', async () => {
  const looking = record();
  await Promise.all([looking.nodeBegins(proof('both/a')), looking.nodeBegins(proof('both/b'))]);
  const ends = await Promise.all([looking.nodeEnds(proof('both/a'), passed), looking.nodeEnds(proof('both/b'), passed)]);
  expect(ends.map(({ captures = [] }) => captures.length)).toEqual([2, 2]);
  await looking.nodeBegins(seenNode('done'));
  const { captures = [] } = await looking.nodeEnds(seenNode('done'), passed);
  expect(captures.map(({ path }) => path)).toEqual(['videos/AC1.webm']);
});

test('somebody who interrupts a run waits for no picture and no encoder', async () => {
  const looking = record({ ffmpeg: '/nowhere/ffmpeg' });
  await looking.nodeBegins(proof('add'));
  await page.waitForTimeout(300);
  const failure = new RecipeError('run.interrupted', 'interrupted', 'The run was interrupted: SIGINT.');
  const end: SeenEnd = { final: true, captures: 0, failure };
  const { captures = [], issues } = await looking.nodeEnds(proof('add'), end);
  expect(captures.map(({ path }) => path).slice(0, 2)).toEqual(['screenshots/add-before.png', 'videos/AC1/frame-001.jpg']);
  expect([issues, captures.some(({ path }) => path.includes('after'))]).toEqual([undefined, false]);
});

test('an ffmpeg that fails costs the video, not the frames and not the run', async () => {
  const broken = join(dir, 'ffmpeg');
  writeFileSync(broken, '#!/bin/sh\necho no such codec >&2\nexit 1\n', { mode: 0o755 });
  const looking = record({ ffmpeg: broken });
  await looking.nodeBegins(proof('add'));
  await page.waitForTimeout(200);
  await looking.nodeEnds(proof('add'), passed);
  await looking.nodeBegins(seenNode('done'));
  const { captures = [], issues = [], failure } = await looking.nodeEnds(seenNode('done'), passed);
  expect(captures[0]?.path).toBe('videos/AC1/frame-001.jpg');
  expect([failure, issues[0]?.message]).toEqual([
    undefined,
    expect.stringMatching(/made no video: no such codec; frames are kept/),
  ]);
});
