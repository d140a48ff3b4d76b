// Exchanges as HAR 1.2, for the tools that read it. Bodies are left out, and so are values that would let others in.
import type { Request, Response } from '@playwright/test';
import type { Exchange } from './networkLog.js';

/** What is kept as one artifact at most. */
export const mostBytes = 10_000_000;

export type Har = { body: Buffer; kept: number };

export async function toHar(exchanges: readonly Exchange[]): Promise<Har> {
  const entries = await Promise.all(exchanges.map(entryOf));
  const texts: string[] = [];
  let size = 1_000;
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    size += Buffer.byteLength(text) + 2;
    if (size > mostBytes) break;
    texts.push(text);
  }
  const head = JSON.stringify({ version: '1.2', creator: { name: 'recipewright', version: '1' } }).slice(0, -1);
  return { body: Buffer.from(`{"log":${head},"entries":[\n${texts.join(',\n')}\n]}}\n`), kept: texts.length };
}

async function entryOf({ at, request, method, url, status, failure, kind }: Exchange): Promise<object> {
  // Undefined while nothing has come, and for a page that is gone.
  const response = status === undefined ? undefined : await request.response().catch(() => null);
  const { requestStart, responseStart, responseEnd } = request.timing();
  const [wait, receive] = [Math.max(0, responseStart - requestStart), Math.max(0, responseEnd - responseStart)];
  return {
    startedDateTime: at,
    time: wait + receive,
    request: { method, url, httpVersion: 'HTTP/1.1', ...partsOf(request), queryString: queryOf(url) },
    response: { ...answerOf(response ?? undefined, status ?? 0), ...(failure === undefined ? {} : { _error: failure }) },
    cache: {},
    timings: { send: 0, wait, receive },
    _resourceType: kind,
  };
}

const unknownSizes = { headersSize: -1, bodySize: -1 };

function partsOf(request: Request): object {
  return { cookies: [], headers: headersOf(request.headers()), ...unknownSizes };
}

function answerOf(response: Response | undefined, status: number): object {
  const headers = response?.headers() ?? {};
  const content = { size: Number(headers['content-length'] ?? -1), mimeType: headers['content-type'] ?? 'x-unknown' };
  return {
    ...{ status, statusText: response?.statusText() ?? '', httpVersion: 'HTTP/1.1', cookies: [], headers: headersOf(headers) },
    ...{ content, redirectURL: headers.location ?? '', ...unknownSizes },
  };
}

/** Whoever has the value of one of these is who they say. */
const letIn = /^(proxy-)?authorization$|cookie|token|api-?key|secret/i;

function headersOf(headers: Readonly<Record<string, string>>): object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value: letIn.test(name) ? '[left out]' : value }));
}

function queryOf(url: string): object[] {
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
