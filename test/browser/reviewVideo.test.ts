// Seeking in a video of a served package.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveReview } from '../../src/review/serve/serveReview.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { jsonIn, write } from '../unit/evidence/packages.js';
import { richPackage } from '../unit/evidence/richPackage.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

// A string, because the tests are compiled without DOM types.
const jump = `(async () => {
  const video = document.querySelector('#pictures video');
  const next = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
  });
  video.load();
  video.preload = 'metadata';
  await next('loadedmetadata');
  video.currentTime = 110;
  await next('seeked');
  return [video.duration, video.currentTime];
})()`;

test('seeking to the end of a served video does not load the part before it', async () => {
  const { dir } = await richPackage();
  const video = silence(120);
  writeFileSync(join(dir, 'film.mp4'), video);
  const manifest = jsonIn(dir, 'artifact-manifest.json') as { artifacts: object[] };
  const listed = { path: 'film.mp4', type: 'video', label: 'The video' };
  write(dir, 'artifact-manifest.json', { ...manifest, artifacts: [...manifest.artifacts, listed] });
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  const page = await freshPage(browser);
  onTestFinished(() => page.context().close());
  const ranges: string[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('film.mp4')) ranges.push(`${response.status()} ${response.headers()['content-range']}`);
  });
  await page.goto(url);
  expect(await page.evaluate(jump)).toEqual([120, 110]);
  const starts = ranges.map((range) => Number(/^206 bytes (\d+)-/.exec(range)?.[1] ?? Number.NaN));
  expect(starts[0]).toBe(0);
  expect(Math.max(...starts)).toBeGreaterThan(video.length / 2);
});

/** A silent WAV file. Browsers play it without a codec, and detect the type from its bytes. */
function silence(seconds: number): Buffer {
  const [channels, rate, bytes] = [2, 48_000, 2];
  const size = seconds * rate * channels * bytes;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * bytes, 28);
  head.writeUInt16LE(channels * bytes, 32);
  head.writeUInt16LE(8 * bytes, 34);
  head.write('data', 36);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(size)]);
}
