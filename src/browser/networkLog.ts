// Logs the requests of all pages of a run, and exports them as a HAR file.
import type { BrowserContext, Request, Response } from '@playwright/test';
import { createUrlMatcher } from './networkBlock.js';
import type { RunPages } from './runPages.js';

/** `request`: no response yet. */
export type Outcome = 'request' | 'response' | 'failure';

export type Exchange = {
  at: string;
  request: Request;
  method: string;
  url: string;
  kind: string;
  outcome: Outcome;
  status?: number;
  failure?: string;
};

/** Further exchanges are only counted. */
const maxExchanges = 5_000;

const logsByRun = new WeakMap<RunPages, NetworkLog>();

type NetworkLogOptions = { url?: string | undefined; capture?: readonly Outcome[] | undefined; wallTime(): string };

/** Undefined when the run already has an open log. */
export function openNetworkLog(runPages: RunPages, options: NetworkLogOptions): NetworkLog | undefined {
  if (logsByRun.has(runPages)) return undefined;
  const log = new NetworkLog(runPages.context, options);
  logsByRun.set(runPages, log);
  return log;
}

/** Undefined when the run has no open log. */
export function closeNetworkLog(runPages: RunPages): NetworkLog | undefined {
  const log = logsByRun.get(runPages);
  logsByRun.delete(runPages);
  log?.close();
  return log;
}

class NetworkLog {
  readonly exchanges: Exchange[] = [];
  /** The number of exchanges beyond the limit. */
  dropped = 0;
  private readonly byRequest = new Map<Request, Exchange>();
  private readonly matchesUrl: (url: string) => boolean;

  constructor(
    private readonly context: BrowserContext,
    readonly options: NetworkLogOptions,
  ) {
    this.matchesUrl = createUrlMatcher(options.url ?? '');
    context.on('request', this.onRequest).on('response', this.onResponse).on('requestfailed', this.onRequestFailed);
  }

  close(): void {
    this.context.off('request', this.onRequest).off('response', this.onResponse).off('requestfailed', this.onRequestFailed);
  }

  private readonly onRequest = (request: Request): void => {
    const url = request.url();
    if (!this.matchesUrl(url)) return;
    if (this.exchanges.length >= maxExchanges) {
      this.dropped++;
      return;
    }
    const [method, kind] = [request.method(), request.resourceType()];
    const exchange: Exchange = { at: this.options.wallTime(), request, method, url, kind, outcome: 'request' };
    this.exchanges.push(exchange);
    this.byRequest.set(request, exchange);
  };

  private readonly onResponse = (response: { request(): Request; status(): number }): void => {
    const exchange = this.byRequest.get(response.request());
    if (exchange) Object.assign(exchange, { outcome: 'response', status: response.status() });
  };

  private readonly onRequestFailed = (request: Request): void => {
    const exchange = this.byRequest.get(request);
    if (exchange) Object.assign(exchange, { outcome: 'failure', failure: request.failure()?.errorText ?? 'failed' });
  };
}

const maxHarBytes = 10_000_000;

type Har = { body: Buffer; entryCount: number };

/** Writes HAR 1.2 without bodies and without the values of headers that carry credentials. */
export async function toHar(exchanges: readonly Exchange[]): Promise<Har> {
  const entries = await Promise.all(exchanges.map(toHarEntry));
  const texts: string[] = [];
  let size = 1_000;
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    size += Buffer.byteLength(text) + 2;
    if (size > maxHarBytes) break;
    texts.push(text);
  }
  const head = JSON.stringify({ version: '1.2', creator: { name: 'recipewright', version: '1' } }).slice(0, -1);
  return { body: Buffer.from(`{"log":${head},"entries":[\n${texts.join(',\n')}\n]}}\n`), entryCount: texts.length };
}

async function toHarEntry({ at, request, method, url, status, failure, kind }: Exchange): Promise<object> {
  // Undefined without a response, and null when the page is closed.
  const response = status === undefined ? undefined : await request.response().catch(() => null);
  const { requestStart, responseStart, responseEnd } = request.timing();
  const [wait, receive] = [Math.max(0, responseStart - requestStart), Math.max(0, responseEnd - responseStart)];
  return {
    startedDateTime: at,
    time: wait + receive,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toHarHeaders(request.headers()),
      ...unknownSizes,
      queryString: toHarQuery(url),
    },
    response: { ...harResponse(response ?? undefined, status ?? 0), ...(failure === undefined ? {} : { _error: failure }) },
    cache: {},
    timings: { send: 0, wait, receive },
    _resourceType: kind,
  };
}

const unknownSizes = { headersSize: -1, bodySize: -1 };

function harResponse(response: Response | undefined, status: number): object {
  const headers = response?.headers() ?? {};
  return {
    status,
    statusText: response?.statusText() ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toHarHeaders(headers),
    content: { size: Number(headers['content-length'] ?? -1), mimeType: headers['content-type'] ?? 'x-unknown' },
    redirectURL: headers.location ?? '',
    ...unknownSizes,
  };
}

/** The values of these headers are credentials. */
const credentialHeader = /^(proxy-)?authorization$|cookie|token|api-?key|secret/i;

function toHarHeaders(headers: Readonly<Record<string, string>>): object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value: credentialHeader.test(name) ? '[left out]' : value }));
}

function toHarQuery(url: string): object[] {
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
