// A directory of packages on this machine only, for a browser on this machine.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { insideOf, kindOf, reallyInside } from '../../system/files.js';
import { type Answer, fileAnswer } from './fileAnswer.js';
import { liveAt, liveIn } from './livePlaces.js';
import { comparePageAt, pageOf } from './pagesOf.js';
import { changedIn, changedQuery, watching } from './watching.js';

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

export type ServeOptions = { watch?: boolean };

export async function serveReview(dir: string, { watch = false }: ServeOptions = {}): Promise<Serving> {
  const server: Server = createServer((request, response) => answer({ dir, watch }, request, response));
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

type Served = { dir: string; watch: boolean };

function answer(served: Served, request: IncomingMessage, response: ServerResponse): void {
  const found = isForUs(request, response) ? answerOrWhyNot(served, request) : undefined;
  const { status, headers, body } = found ?? notFound;
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers, ...safety });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const notFound: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found.\n' };

// One file that cannot be read is no reason to end what somebody looks at.
function answerOrWhyNot(served: Served, request: IncomingMessage, isAgain = false): Answer | undefined {
  try {
    return answerTo(served, request);
  } catch (thrown) {
    // A run that was over while we looked has its package by now.
    if (!isAgain && (thrown as NodeJS.ErrnoException).code === 'ENOENT') return answerOrWhyNot(served, request, true);
    const body = `It cannot be shown: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`;
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
}

function answerTo(served: Served, { url = '/', headers }: IncomingMessage): Answer | undefined {
  const content = contentFor(served, url);
  if (!content) return undefined;
  const answered = 'file' in content ? fileAnswer(served.dir, content.file, headers) : { status: 200, headers: {}, ...content };
  return answered && { ...answered, headers: { 'content-type': content.type, ...answered.headers } };
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

type Content = { type: string; body: string } | { type: string; file: string };

function contentFor({ dir, watch }: Served, url: string): Content | undefined {
  const path = pathOf(url);
  // Every browser asks for it, and would complain on the console of the page.
  if (path === 'favicon.ico') return { type: 'image/x-icon', body: '' };
  if (!watch) return contentAt(dir, path);
  if (url.endsWith(changedQuery)) return stateAt(dir, path);
  const found = contentAt(dir, path);
  return found && 'body' in found ? { ...found, body: watching(found.body) } : found;
}

function stateAt(dir: string, path: string | undefined): Content | undefined {
  const asked = nameAsked(path);
  const places = asked === undefined ? [] : [placeOf(dir, asked), liveAt(dir, asked)];
  if (places.every((place) => place === undefined)) return undefined;
  const marks = places.map((place) => (place === undefined ? '' : changedIn(place)));
  // The page over a suite tells which runs go on, not how far they are.
  const body = [...marks, ...(asked === '' ? liveIn(dir) : [])].join(' ');
  return { type: 'text/plain; charset=utf-8', body };
}

/** The page of a package stands for the package, and that over a suite for its directory. */
function nameAsked(path: string | undefined): string | undefined {
  return path === 'index.html' ? '' : path?.replace(/(^|\/)review\.html$/, '').replace(/\/+$/, '');
}

/** Undefined when it does not lie in the directory. */
function placeOf(dir: string, name: string): string | undefined {
  const place = name === '' ? dir : insideOf(dir, name);
  return place === undefined || kindOf(place) === undefined || !reallyInside(dir, place) ? undefined : place;
}

// A page that came with a package is written anew from what it says, so that nobody's script is served.
function contentAt(dir: string, path: string | undefined): Content | undefined {
  const tries = path === undefined ? undefined : comparePageAt(dir, path);
  if (tries !== undefined) return { type: types['.html'] ?? '', body: tries };
  const name = nameAsked(path);
  const file = name === undefined ? undefined : placeOf(dir, name);
  if (name !== undefined && (liveAt(dir, name) !== undefined || (file !== undefined && kindOf(file) === 'directory')))
    return { type: types['.html'] ?? '', body: pageOf(dir, name) };
  if (file === undefined) return undefined;
  const ending = extname(file).toLowerCase();
  if (ending === '.html') return undefined;
  return { type: types[ending] ?? 'text/plain; charset=utf-8', file };
}
