// Decodes videos and images with a real browser.
import type { Browser } from '@playwright/test';
import { freshPage } from './chromium.js';

export type Colour = readonly [red: number, green: number, blue: number];

export type DecodedVideo = { durationMs: number; width: number; height: number; pictures: VideoPicture[] };

export type VideoPicture = { pixel(x: number, y: number): Colour };

/** Decodes the frames of a video at the given moments. A negative moment counts from the end of the video. */
export async function decodeVideo(browser: Browser, video: Uint8Array, momentsMs: readonly number[]): Promise<DecodedVideo> {
  const page = await freshPage(browser);
  try {
    const argument = JSON.stringify({ data: Buffer.from(video).toString('base64'), momentsMs });
    const decoded = (await page.evaluate(`(${videoInPage})(${argument})`)) as Omit<DecodedVideo, 'pictures'> & {
      pictures: string[];
    };
    return { ...decoded, pictures: decoded.pictures.map((pixels) => pictureOf(Buffer.from(pixels, 'base64'), decoded.width)) };
  } finally {
    await page.context().close();
  }
}

/** Decodes an image, such as a JPEG. */
export async function decodePicture(browser: Browser, picture: Uint8Array, mimeType: string): Promise<VideoPicture> {
  const page = await freshPage(browser);
  try {
    const url = `data:${mimeType};base64,${Buffer.from(picture).toString('base64')}`;
    const { width, pixels } = (await page.evaluate(`(${pictureInPage})(${JSON.stringify(url)})`)) as {
      width: number;
      pixels: string;
    };
    return pictureOf(Buffer.from(pixels, 'base64'), width);
  } finally {
    await page.context().close();
  }
}

function pictureOf(pixels: Buffer, width: number): VideoPicture {
  return {
    pixel(x, y) {
      const at = (y * width + x) * 4;
      return [pixels[at] ?? -1, pixels[at + 1] ?? -1, pixels[at + 2] ?? -1];
    },
  };
}

// The functions in the page are strings, because the tests have no types of the DOM.
const toBase64 = `(bytes) => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}`;

const videoInPage = `async ({ data, momentsMs }) => {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const video = document.createElement('video');
  const next = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error('The video cannot be played: ' + video.error.message)), { once: true });
  });
  video.muted = true;
  video.preload = 'auto';
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
  await next('loadeddata');
  const { duration, videoWidth: width, videoHeight: height } = video;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const pictures = [];
  for (const momentMs of momentsMs) {
    // The event "seeked" can come before the new frame, and until then a canvas draws the previous frame.
    const seeked = Promise.all([next('seeked'), new Promise((resolve) => video.requestVideoFrameCallback(resolve))]);
    video.currentTime = momentMs < 0 ? duration + momentMs / 1000 : momentMs / 1000;
    await seeked;
    context.drawImage(video, 0, 0);
    pictures.push((${toBase64})(context.getImageData(0, 0, width, height).data));
  }
  return { durationMs: duration * 1000, width, height, pictures };
}`;

const pictureInPage = `async (url) => {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return { width: bitmap.width, pixels: (${toBase64})(context.getImageData(0, 0, bitmap.width, bitmap.height).data) };
}`;
