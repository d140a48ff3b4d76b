// A directory of packages on this machine only, for a browser on this machine.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { readPackage } from '../evidence/readPackage.js';
import { insideOf, kindOf, reallyInside } from '../system/files.js';
import { readBounded } from '../system/readBounded.js';
import { html, raw } from './html.js';
import { href } from './markup.js';
import { reviewPage } from './page/reviewPage.js';

export type Serving = { url: string; close(): Promise<void> };

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.webm': 'video/webm',
  '.mp4': 'video/mp4',
};

const largest = 256_000_000;

export async function serveReview(dir: string): Promise<Serving> {
  const server: Server = createServer((request, response) => answer(dir, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/`, close };
}

function answer(dir: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/' } = request;
  const found = isForUs(request, response) ? contentAt(dir, pathOf(url)) : undefined;
  const { status, type, body } = found ? { status: 200, ...found } : { status: 404, type: 'text/plain', body: 'Not found.\n' };
  response.writeHead(status, { 'content-type': type, ...safety });
  response.end(method === 'HEAD' ? undefined : body);
}

// A page elsewhere may give its own name our address, and would then read what is served here.
function isForUs({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { port } = (response.socket?.address() ?? {}) as Partial<AddressInfo>;
  return ['127.0.0.1', 'localhost'].some((name) => headers.host === `${name}:${port}`) && (method === 'GET' || method === 'HEAD');
}

// Files of a package are shown, never run: logs and pictures may hold anything.
const safety = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/s, '')).replace(/^\/+/, '');
  } catch {
    // URIError: no path that anybody meant.
    return undefined;
  }
}

type Content = { type: string; body: string | Buffer };

// A page that came with a package is written anew from what it says, so that nobody's script is served.
function contentAt(dir: string, path: string | undefined): Content | undefined {
  const asked = path?.replace(/(^|\/)review\.html$/, '').replace(/\/+$/, '');
  const file = asked === undefined ? undefined : asked === '' ? dir : insideOf(dir, asked);
  if (file === undefined || kindOf(file) === undefined || !reallyInside(dir, file)) return undefined;
  if (kindOf(file) === 'directory') return { type: types['.html'] ?? '', body: pageOf(file) };
  const ending = extname(file).toLowerCase();
  if (ending === '.html') return undefined;
  const read = readBounded(file, largest);
  return 'bytes' in read ? { type: types[ending] ?? 'text/plain; charset=utf-8', body: read.bytes } : undefined;
}

function pageOf(dir: string): string {
  if (kindOf(join(dir, 'summary.json')) !== 'file') return listPage(dir);
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary) return html`<!doctype html><title>No review</title><p>${findings[0]?.message ?? 'There is no summary.'}</p>`.text;
  return reviewPage({ summary, trace, artifacts: manifest?.artifacts ?? [], recipe });
}

/** The packages of a suite, as its index lists them. */
function listPage(dir: string): string {
  const { resolutions } = suiteIn(dir);
  const rows = resolutions.map(
    ({ id, status = 'not run', reason = '' }) =>
      html`<tr><th scope="row"><a href="${raw(href(id))}/review.html">${id}</a></th><td>${status}</td><td>${reason}</td></tr>`,
  );
  const body =
    rows.length > 0
      ? html`<table><thead><tr><th scope="col">Recipe</th><th scope="col">Verdict</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table>`
      : html`<p>There is neither a package nor a suite in this directory.</p>`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recipes</title><meta name="color-scheme" content="light dark"></head><body><main><h1>Recipes</h1>${body}</main></body></html>`
    .text;
}

function suiteIn(dir: string): { resolutions: { id: string; status?: string; reason?: string }[] } {
  const read = readBounded(join(dir, 'suite.json'), largest);
  try {
    const { resolutions } = JSON.parse('bytes' in read ? read.bytes.toString() : '{}') as { resolutions?: unknown };
    return { resolutions: Array.isArray(resolutions) ? resolutions.filter(({ id }) => typeof id === 'string') : [] };
  } catch {
    // SyntaxError: a suite that cannot be read has no packages to show.
    return { resolutions: [] };
  }
}
