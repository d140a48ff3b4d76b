// Serves a directory of packages over HTTP to this machine only.

import { hash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { isRealPathInside, readChangeStamp, readPathKind, resolveInside } from '../../system/files/files.js';
import { readPieceInside } from '../../system/files/readInside.js';
import { listLiveRuns, liveRunDir } from './renderLivePage.js';
import { renderAttemptsPageAt, renderServedPage } from './renderServedPage.js';

type ReviewServer = { url: string; close(): Promise<void> };

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.webm': 'video/webm',
  '.mp4': 'video/mp4',
};

type ServeOptions = { watch?: boolean };

export async function serveReview(dir: string, { watch = false }: ServeOptions = {}): Promise<ReviewServer> {
  const server: Server = createServer((request, response) => handleRequest({ dir, watch }, request, response));
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

type ServedDirectory = { dir: string; watch: boolean };

function handleRequest(served: ServedDirectory, request: IncomingMessage, response: ServerResponse): void {
  const found = isLocalRequest(request, response) ? answerOrError(served, request) : undefined;
  const { status, headers, body } = found ?? notFound;
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers, ...safetyHeaders });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const notFound: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found.\n' };

// A file that cannot be read must not stop the server.
function answerOrError(served: ServedDirectory, request: IncomingMessage, isRetry = false): Answer | undefined {
  try {
    return answerRequest(served, request);
  } catch (thrown) {
    // A run that ended in the meantime has its package by now.
    if (!isRetry && (thrown as NodeJS.ErrnoException).code === 'ENOENT') return answerOrError(served, request, true);
    const body = `This page cannot be shown: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`;
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
}

function answerRequest(served: ServedDirectory, { url = '/', headers }: IncomingMessage): Answer | undefined {
  const content = contentFor(served, url);
  if (!content) return undefined;
  const answer = 'file' in content ? answerFile(served.dir, content.file, headers) : { status: 200, headers: {}, ...content };
  return answer && { ...answer, headers: { 'content-type': content.type, ...answer.headers } };
}

// Against DNS rebinding: another site could point its own host name at this server and read the answers.
function isLocalRequest({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { port } = (response.socket?.address() ?? {}) as Partial<AddressInfo>;
  return ['127.0.0.1', 'localhost'].some((name) => headers.host === `${name}:${port}`) && (method === 'GET' || method === 'HEAD');
}

// Logs and pictures of a package can hold anything, so a browser must not run them.
const safetyHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function decodePath(url: string): string | undefined {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/s, '')).replace(/^\/+/, '');
  } catch {
    // URIError: malformed escape sequence, such as "%zz".
    return undefined;
  }
}

type Content = { type: string; body: string } | { type: string; file: string };

function contentFor({ dir, watch }: ServedDirectory, url: string): Content | undefined {
  const path = decodePath(url);
  // Browsers always request it and log an error in the console when it is missing.
  if (path === 'favicon.ico') return { type: 'image/x-icon', body: '' };
  if (!watch) return contentAt(dir, path);
  if (url.endsWith(changedQuery)) return changeStateAt(dir, path);
  const content = contentAt(dir, path);
  return content && 'body' in content ? { ...content, body: addWatchScript(content.body) } : content;
}

function changeStateAt(dir: string, path: string | undefined): Content | undefined {
  const name = packageName(path);
  const places = name === undefined ? [] : [resolvePlace(dir, name), liveRunDir(dir, name)];
  if (places.every((place) => place === undefined)) return undefined;
  const states = places.map((place) => (place === undefined ? '' : changeState(place)));
  // The page of a suite shows which runs are live, but not their progress.
  const body = [...states, ...(name === '' ? listLiveRuns(dir) : [])].join(' ');
  return { type: 'text/plain; charset=utf-8', body };
}

/** The name of the package whose page is at `path`; empty for the page of the suite. */
function packageName(path: string | undefined): string | undefined {
  return path === 'index.html' ? '' : path?.replace(/(^|\/)review\.html$/, '').replace(/\/+$/, '');
}

/** Undefined when `name` leads out of the directory or does not exist. */
function resolvePlace(dir: string, name: string): string | undefined {
  const place = name === '' ? dir : resolveInside(dir, name);
  return place === undefined || readPathKind(place) === undefined || !isRealPathInside(dir, place) ? undefined : place;
}

// HTML files of a package are never served, as they could hold any script. Their content is rendered again instead.
function contentAt(dir: string, path: string | undefined): Content | undefined {
  const tries = path === undefined ? undefined : renderAttemptsPageAt(dir, path);
  if (tries !== undefined) return { type: contentTypes['.html'] ?? '', body: tries };
  const name = packageName(path);
  const file = name === undefined ? undefined : resolvePlace(dir, name);
  if (name !== undefined && (liveRunDir(dir, name) !== undefined || (file !== undefined && readPathKind(file) === 'directory')))
    return { type: contentTypes['.html'] ?? '', body: renderServedPage(dir, name) };
  if (file === undefined) return undefined;
  const ending = extname(file).toLowerCase();
  if (ending === '.html') return undefined;
  return { type: contentTypes[ending] ?? 'text/plain; charset=utf-8', file };
}

type Answer = { status: number; headers: Record<string, string | number>; body: string | Buffer };

const maxAnswerBytes = 256_000_000;

/**
 * Sends a file or the requested range of it, which browsers need to seek in a video.
 * Undefined when the file is missing, outside `root` or too large.
 */
function answerFile(root: string, file: string, headers: IncomingHttpHeaders): Answer | undefined {
  const read = (offset: number, limit: number) => readPieceInside({ root, file, offset, limit });
  const fileInfo = read(0, 0);
  if (!fileInfo || 'outside' in fileInfo) return undefined;
  const { size } = fileInfo;
  const range = parseRange(headers, size);
  if (range === 'none') return { status: 416, headers: { 'content-range': `bytes */${size}` }, body: '' };
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const piece = last - first < maxAnswerBytes ? read(first, last - first + 1) : undefined;
  if (!piece || 'outside' in piece) return undefined;
  const { bytes: body } = piece;
  const rangeHeader = range && { 'content-range': `bytes ${first}-${first + body.length - 1}/${size}` };
  return { status: range ? 206 : 200, headers: { 'accept-ranges': 'bytes', ...rangeHeader }, body };
}

type ByteRange = { first: number; last: number };

/** Undefined means the whole file. HTTP says to ignore a range header that is not understood. */
function parseRange({ range, 'if-range': ifRange }: IncomingHttpHeaders, size: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  // The server sends no ETag, so a file never matches the one of which the client has a part.
  if ((first === '' && last === '') || ifRange !== undefined) return undefined;
  const byteRange =
    first === ''
      ? { first: Math.max(0, size - Number(last)), last: size - 1 }
      : { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return byteRange.first <= byteRange.last ? byteRange : 'none';
}

/** A watched page appends it to its own URL to ask whether its content has changed. */
const changedQuery = '?changed';

/** A text that changes whenever one of the files changes that a page is made from. */
function changeState(dir: string): string {
  return ['journal.jsonl', 'summary.json', 'suite.json', ''].map((name) => readChangeStamp(join(dir, name))).join(' ');
}

const watchScript = `
const before = sessionStorage.getItem('open:' + location.pathname);
for (const id of before ? JSON.parse(before) : []) document.getElementById(id)?.querySelector('details')?.setAttribute('open', '');
let lastState;
async function poll() {
  try {
    const answer = await fetch(location.pathname + '${changedQuery}', { cache: 'no-store' });
    const state = answer.ok ? await answer.text() : lastState;
    if (lastState !== undefined && state !== lastState) {
      const open = [...document.querySelectorAll('.entry')].filter((item) => item.querySelector('details').open).map(({ id }) => id);
      sessionStorage.setItem('open:' + location.pathname, JSON.stringify(open));
      location.reload();
      return;
    }
    lastState = state;
  } catch {
    document.title = '(no longer served) ' + document.title.replace(/^\\(.*?\\) /, '');
  }
  setTimeout(poll, 1000);
}
poll();
`;

/** Adds the script, and lets the Content Security Policy of the page allow it and its requests. */
function addWatchScript(page: string): string {
  const allowed = `connect-src &#39;self&#39;; script-src &#39;sha256-${hash('sha256', watchScript, 'base64')}&#39; `;
  return page.replace('script-src ', allowed).replace('</body>', `<script>${watchScript}</script></body>`);
}
