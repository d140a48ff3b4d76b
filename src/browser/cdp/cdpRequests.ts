// Tracks the requests of one page, its frames and its workers, and refuses blocked ones.
import type { EventEmitter } from 'node:events';
import type { Request, Response } from '@playwright/test';
import type { CdpSession } from './cdpConnection.js';

/** See `CdpContext.findBlock`. */
type RequestFilter = { findBlock(url: string): (() => void) | undefined };

type RequestPaused = { requestId: string; networkId?: string; redirectedRequestId?: string; request: { url: string } };
type LoadingEnded = { requestId: string; timestamp: number; errorText?: string; blockedReason?: string };
type ResponseReceived = { requestId: string; response: ResponseData };
type FrameRequest = SentRequest & { frameId?: string };

export class RequestTracker {
  /** Shared by all sessions: a request for a frame of another site begins in one session and ends in another. */
  private readonly open = new Map<string, CdpRequest>();

  constructor(
    private readonly listeners: readonly EventEmitter[],
    private readonly filter: RequestFilter,
  ) {}

  async watch(session: CdpSession, isWorker: boolean): Promise<void> {
    session.on('Network.requestWillBeSent', (sent: FrameRequest) => {
      // Requests without a frame are the browser's own.
      if (sent.frameId || isWorker) this.onRequest(sent);
    });
    session.on('Network.responseReceived', ({ requestId, response }: ResponseReceived) => this.onResponse(requestId, response));
    session.on('Network.loadingFinished', ({ requestId, timestamp }: LoadingEnded) => this.onEnd(requestId, timestamp));
    session.on('Network.loadingFailed', this.onFailed);
    session.on('Fetch.requestPaused', (paused: RequestPaused) => this.answerPaused(session, paused));
    await session.send('Network.enable');
  }

  private onRequest(sent: FrameRequest): void {
    const { requestId, redirectResponse, timestamp, request } = sent;
    if (redirectResponse) {
      this.onResponse(requestId, redirectResponse);
      this.onEnd(requestId, timestamp);
    }
    if (request.url.startsWith('data:') || isFavicon(request.url)) return;
    const cdpRequest = new CdpRequest(sent);
    this.open.set(requestId, cdpRequest);
    this.emitToAll('request', cdpRequest);
  }

  private onResponse(requestId: string, data: ResponseData): void {
    const request = this.open.get(requestId);
    if (request) this.emitToAll('response', request.setResponse(data));
  }

  private onEnd(requestId: string, timestamp: number): void {
    this.open.get(requestId)?.setEnd(timestamp);
    this.open.delete(requestId);
  }

  private readonly onFailed = ({ requestId, timestamp, errorText, blockedReason }: LoadingEnded): void => {
    const request = this.open.get(requestId);
    this.onEnd(requestId, timestamp);
    // A response without a body (204) ends like a failure.
    if (!request || request.status === 204) return;
    request.setFailure(errorText || blockedReason || '');
    this.emitToAll('requestfailed', request);
  };

  // Like Playwright, it does not block the target of a redirect.
  private answerPaused(session: CdpSession, { requestId, redirectedRequestId, request: { url } }: RequestPaused): void {
    const refuse = redirectedRequestId || isFavicon(url) ? undefined : this.filter.findBlock(url);
    refuse?.();
    if (refuse) void session.sendIfThere('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    else void session.sendIfThere('Fetch.continueRequest', { requestId });
  }

  private emitToAll(event: string, value: unknown): void {
    for (const listener of this.listeners) listener.emit(event, value);
  }
}

// The browser requests it at any time on its own.
function isFavicon(url: string): boolean {
  return url.endsWith('/favicon.ico');
}

type HeaderMap = Readonly<Record<string, string>>;

type SentRequest = {
  requestId: string;
  request: { url: string; method: string; headers: HeaderMap };
  timestamp: number;
  type?: string;
  redirectResponse?: ResponseData;
};

type ResponseData = {
  status: number;
  statusText: string;
  headers: HeaderMap;
  timing?: { sendStart: number; receiveHeadersEnd: number };
};

type Timing = Pick<ReturnType<Request['timing']>, 'requestStart' | 'responseStart' | 'responseEnd'>;

/** Resource types of CDP that Playwright calls "other". */
const otherTypes = new Set(['Prefetch', 'SignedExchange', 'Preflight', 'FedCM', 'Other']);

class CdpRequest implements Pick<Request, 'url' | 'method' | 'resourceType' | 'headers' | 'failure'> {
  private receivedResponse: CdpResponse | undefined;
  private errorText: string | undefined;
  private endedMs = -1;

  constructor(private readonly sent: SentRequest) {}

  url(): string {
    return this.sent.request.url.replace(/#.*$/s, '');
  }

  method(): string {
    return this.sent.request.method;
  }

  resourceType(): string {
    const { type = 'Other' } = this.sent;
    if (type === 'CSPViolationReport') return 'cspreport';
    return otherTypes.has(type) ? 'other' : type.toLowerCase();
  }

  headers(): Record<string, string> {
    return lowerCaseNames(this.sent.request.headers);
  }

  failure(): { errorText: string } | null {
    return this.errorText === undefined ? null : { errorText: this.errorText };
  }

  async response(): Promise<CdpResponse | null> {
    return this.receivedResponse ?? null;
  }

  timing(): Timing {
    const { sendStart = -1, receiveHeadersEnd = -1 } = this.receivedResponse?.data.timing ?? {};
    return { requestStart: sendStart, responseStart: receiveHeadersEnd, responseEnd: this.endedMs };
  }

  get status(): number | undefined {
    return this.receivedResponse?.status();
  }

  setResponse(data: ResponseData): CdpResponse {
    this.receivedResponse = new CdpResponse(this, data);
    return this.receivedResponse;
  }

  setFailure(errorText: string): void {
    this.errorText = errorText;
  }

  /** `timestamp`: in seconds, by the clock of the browser. */
  setEnd(timestamp: number): void {
    this.endedMs = (timestamp - this.sent.timestamp) * 1_000;
  }
}

class CdpResponse implements Pick<Response, 'status' | 'statusText' | 'headers'> {
  constructor(
    private readonly sentRequest: CdpRequest,
    readonly data: ResponseData,
  ) {}

  request(): CdpRequest {
    return this.sentRequest;
  }

  status(): number {
    return this.data.status;
  }

  statusText(): string {
    return this.data.statusText;
  }

  headers(): Record<string, string> {
    return lowerCaseNames(this.data.headers);
  }
}

function lowerCaseNames(headers: HeaderMap): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
