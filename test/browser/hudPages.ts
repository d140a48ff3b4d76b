// Serves pages with custom headers, and compares screenshots.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import type { ObservedEnd, ObservedNode } from '../../src/browser/nodeObserver.js';
import { decodePng, type PngImage } from '../../src/browser/pngImage.js';

export type HeaderPages = { url(html: string, headers?: Record<string, string>): string; close(): void };

export async function serveWithHeaders(): Promise<HeaderPages> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams;
    const headers = JSON.parse(query.get('headers') ?? '{}') as Record<string, string>;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(query.get('html') ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const toQuery = (html: string, headers = {}) => new URLSearchParams({ html, headers: JSON.stringify(headers) });
  return { url: (html, headers) => `http://127.0.0.1:${port}/?${toQuery(html, headers)}`, close: () => server.close() };
}

/** A node as a run passes it to its observers. */
export function observedNode(path: string, fields: Partial<ObservedNode> = {}): ObservedNode {
  const node = { path, title: `Perform ${path} for the buyer`, action: 'ui.press', record: 'trace_only' as const, opens: false };
  return { ...node, phase: undefined, skip: undefined, proofTarget: undefined, needsPage: true, ...fields };
}

export const passed: ObservedEnd = { final: false, captures: 0 };

/** The `style` option for a screenshot without the HUD. */
export const hudHidden = ':root{--recipewright-hud:none!important;--recipewright-hud-room:0px!important}';

/** Counts the pixels in which two screenshots differ. */
export function countDifferentPixels(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [decodePng(one), decodePng(other)];
  if (a.width !== b.width || a.height !== b.height) throw new Error('The pictures differ in size.');
  let count = 0;
  for (let pixel = 0; pixel < a.width * a.height; pixel++) if (!isSamePixel(a, b, pixel)) count++;
  return count;
}

function isSamePixel(a: PngImage, b: PngImage, pixel: number): boolean {
  for (let channel = 0; channel < 3; channel++)
    if (a.pixels[pixel * a.channels + channel] !== b.pixels[pixel * b.channels + channel]) return false;
  return true;
}

/** Counts the pixels of the HUD on the page. */
export async function countHudPixels(page: Page): Promise<number> {
  const [plain, raw] = [await page.screenshot(), await page.screenshot({ style: hudHidden })];
  return countDifferentPixels(plain, raw);
}
