// Pages with headers of their own, and what can be told from pictures of them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import type { ObservedEnd, ObservedNode } from '../../src/browser/nodeObserver.js';
import { decodePng, type PngImage } from '../../src/browser/pngImage.js';

export type HeaderPages = { url(html: string, headers?: Record<string, string>): string; close(): void };

export async function serveWithHeaders(): Promise<HeaderPages> {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams;
    const headers = JSON.parse(asked.get('headers') ?? '{}') as Record<string, string>;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(asked.get('html') ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const ask = (html: string, headers = {}) => new URLSearchParams({ html, headers: JSON.stringify(headers) });
  return { url: (html, headers) => `http://127.0.0.1:${port}/?${ask(html, headers)}`, close: () => server.close() };
}

/** A node as the run tells an onlooker of it. */
export function observedNode(path: string, fields: Partial<ObservedNode> = {}): ObservedNode {
  const node = { path, title: `Perform ${path} for the buyer`, action: 'ui.press', record: 'trace_only' as const, opens: false };
  return { ...node, phase: undefined, skip: undefined, proofTarget: undefined, needsPage: true, ...fields };
}

export const passed: ObservedEnd = { final: false, captures: 0 };

/** The `style` of a screenshot that does not show the HUD. */
export const hudHidden = ':root{--recipewright-hud:none!important;--recipewright-hud-room:0px!important}';

/** How many pixels of two pictures differ. */
export function difference(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [decodePng(one), decodePng(other)];
  if (a.width !== b.width || a.height !== b.height) throw new Error('The pictures differ in size.');
  let count = 0;
  for (let pixel = 0; pixel < a.width * a.height; pixel++) if (!samePixel(a, b, pixel)) count++;
  return count;
}

function samePixel(a: PngImage, b: PngImage, pixel: number): boolean {
  for (let channel = 0; channel < 3; channel++)
    if (a.pixels[pixel * a.channels + channel] !== b.pixels[pixel * b.channels + channel]) return false;
  return true;
}

/** The pixels that the HUD has in a plain picture of the page. */
export async function hudPixels(page: Page): Promise<number> {
  const [plain, raw] = [await page.screenshot(), await page.screenshot({ style: hudHidden })];
  return difference(plain, raw);
}
