// The requests of all pages of a stage, from one moment to another.
import type { BrowserContext, Request, Response } from '@playwright/test';
import { createUrlMatcher } from './networkBlock.js';
import type { RunPages } from './runPages.js';

/** `request`: nothing has come back yet. */
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

/** More than these are counted, not kept. */
const maxExchanges = 5_000;

const logsByRun = new WeakMap<RunPages, NetworkLog>();

type NetworkLogOptions = { url?: string | undefined; capture?: readonly Outcome[] | undefined; wallTime(): string };

/** Undefined when one is kept already. */
export function openNetworkLog(stage: RunPages, options: NetworkLogOptions): NetworkLog | undefined {
  if (logsByRun.has(stage)) return undefined;
  const log = new NetworkLog(stage.context, options);
  logsByRun.set(stage, log);
  return log;
}

/** Ends the log and hands it over; undefined when none was kept. */
export function closeNetworkLog(stage: RunPages): NetworkLog | undefined {
  const log = logsByRun.get(stage);
  logsByRun.delete(stage);
  log?.close();
  return log;
}

class NetworkLog {
  readonly exchanges: Exchange[] = [];
  /** How many more there were. */
  dropped = 0;
  private readonly byRequest = new Map<Request, Exchange>();
  private readonly isWanted: (url: string) => boolean;

  constructor(
    private readonly context: BrowserContext,
    readonly options: NetworkLogOptions,
  ) {
    this.isWanted = createUrlMatcher(options.url ?? '');
    context.on('request', this.onRequest).on('response', this.onResponse).on('requestfailed', this.onRequestFailed);
  }

  close(): void {
    this.context.off('request', this.onRequest).off('response', this.onResponse).off('requestfailed', this.onRequestFailed);
  }

  private readonly onRequest = (request: Request): void => {
    const url = request.url();
    if (!this.isWanted(url)) return;
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

// Exchanges as HAR 1.2, for the tools that read it. Bodies are left out, and so are values that would let others in.

/** What is kept as one artifact at most. */
const maxHarBytes = 10_000_000;

type Har = { body: Buffer; entryCount: number };

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
  // Undefined while nothing has come, and for a page that is gone.
  const response = status === undefined ? undefined : await request.response().catch(() => null);
  const { requestStart, responseStart, responseEnd } = request.timing();
  const [wait, receive] = [Math.max(0, responseStart - requestStart), Math.max(0, responseEnd - responseStart)];
  return {
    startedDateTime: at,
    time: wait + receive,
    request: { method, url, httpVersion: 'HTTP/1.1', ...harRequestParts(request), queryString: toHarQuery(url) },
    response: { ...harResponse(response ?? undefined, status ?? 0), ...(failure === undefined ? {} : { _error: failure }) },
    cache: {},
    timings: { send: 0, wait, receive },
    _resourceType: kind,
  };
}

const unknownSizes = { headersSize: -1, bodySize: -1 };

function harRequestParts(request: Request): object {
  return { cookies: [], headers: toHarHeaders(request.headers()), ...unknownSizes };
}

function harResponse(response: Response | undefined, status: number): object {
  const headers = response?.headers() ?? {};
  const content = { size: Number(headers['content-length'] ?? -1), mimeType: headers['content-type'] ?? 'x-unknown' };
  return {
    ...{ status, statusText: response?.statusText() ?? '', httpVersion: 'HTTP/1.1', cookies: [], headers: toHarHeaders(headers) },
    ...{ content, redirectURL: headers.location ?? '', ...unknownSizes },
  };
}

/** Whoever has the value of one of these is who they say. */
const credentialHeader = /^(proxy-)?authorization$|cookie|token|api-?key|secret/i;

function toHarHeaders(headers: Readonly<Record<string, string>>): object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value: credentialHeader.test(name) ? '[left out]' : value }));
}

function toHarQuery(url: string): object[] {
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
