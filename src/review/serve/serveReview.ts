// Serves a directory of packages over HTTP. Only this machine can connect.

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
    // A run may end while its page is rendered. The second time, its package exists.
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

// Prevents DNS rebinding, with which another site points its own host name at this server and reads the answers.
function isLocalRequest({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { port } = (response.socket?.address() ?? {}) as Partial<AddressInfo>;
  return ['127.0.0.1', 'localhost'].some((name) => headers.host === `${name}:${port}`) && (method === 'GET' || method === 'HEAD');
}

// Logs and pictures of a package can contain anything, so a browser must not run them.
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
  // Browsers always request this file, and log an error in the console when it is missing.
  if (path === 'favicon.ico') return { type: 'image/x-icon', body: '' };
  if (!watch) return contentAt(dir, path);
  if (url.endsWith(changedQuery)) return changeStateAt(dir, path);
  const content = contentAt(dir, path);
  return content && 'body' in content ? { ...content, body: addWatchScript(content.body) } : content;
}

function changeStateAt(dir: string, path: string | undefined): Content | undefined {
  const name = packageName(path);
  const dirs = name === undefined ? [] : [resolveInServed(dir, name), liveRunDir(dir, name)];
  if (dirs.every((found) => found === undefined)) return undefined;
  const states = dirs.map((found) => (found === undefined ? '' : changeState(found)));
  // The page of a suite shows which runs are live, but not their progress.
  const body = [...states, ...(name === '' ? listLiveRuns(dir) : [])].join(' ');
  return { type: 'text/plain; charset=utf-8', body };
}

/** Returns the name of the package whose page is at `path`. Empty for the page of the suite. */
function packageName(path: string | undefined): string | undefined {
  return path === 'index.html' ? '' : path?.replace(/(^|\/)review\.html$/, '').replace(/\/+$/, '');
}

/** Returns undefined when `name` is outside the directory or does not exist. */
function resolveInServed(dir: string, name: string): string | undefined {
  const path = name === '' ? dir : resolveInside(dir, name);
  return path === undefined || readPathKind(path) === undefined || !isRealPathInside(dir, path) ? undefined : path;
}

// HTML files of a package are never served, because they could contain any script. The server renders its own pages instead.
function contentAt(dir: string, path: string | undefined): Content | undefined {
  const tries = path === undefined ? undefined : renderAttemptsPageAt(dir, path);
  if (tries !== undefined) return { type: contentTypes['.html'] ?? '', body: tries };
  const name = packageName(path);
  const file = name === undefined ? undefined : resolveInServed(dir, name);
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
 * Returns undefined when the file is missing, outside `root` or too large.
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

/** Returns undefined for the whole file. By the HTTP standard, a server ignores a range header that it does not understand. */
function parseRange({ range, 'if-range': ifRange }: IncomingHttpHeaders, size: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  // The server sends no ETag, so it cannot know whether the client's part belongs to the same file.
  if ((first === '' && last === '') || ifRange !== undefined) return undefined;
  const byteRange =
    first === ''
      ? { first: Math.max(0, size - Number(last)), last: size - 1 }
      : { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return byteRange.first <= byteRange.last ? byteRange : 'none';
}

/** A watched page appends this query to its own URL to ask whether its content has changed. */
const changedQuery = '?changed';

/** Returns a string that changes whenever a file changes from which the page is made. */
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

/** Adds the script to a page, and makes the Content Security Policy of the page allow the script and its requests. */
function addWatchScript(page: string): string {
  const allowed = `connect-src &#39;self&#39;; script-src &#39;sha256-${hash('sha256', watchScript, 'base64')}&#39; `;
  return page.replace('script-src ', allowed).replace('</body>', `<script>${watchScript}</script></body>`);
}
