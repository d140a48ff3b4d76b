// The requests of one page, its frames and its workers: told as they come and go, and held up where somebody blocks them.
import type { EventEmitter } from 'node:events';
import { type Answer, BareRequest, type Sent } from './request.js';
import type { BareSession } from './session.js';

/** `context` decides for all pages what gets through. */
export type Gate = { isBlocked(url: string): (() => void) | undefined };

type Paused = { requestId: string; networkId?: string; redirectedRequestId?: string; request: { url: string } };
type Failed = { requestId: string; timestamp: number; errorText?: string; blockedReason?: string };
type Received = { requestId: string; response: Answer };
type WithFrame = Sent & { frameId?: string };

export class Traffic {
  /** Shared by the sessions: a frame of another site begins in one and goes on in another. */
  private readonly open = new Map<string, BareRequest>();

  constructor(
    private readonly listeners: readonly EventEmitter[],
    private readonly gate: Gate,
  ) {}

  async watch(session: BareSession, isWorker: boolean): Promise<void> {
    session.on('Network.requestWillBeSent', (sent: WithFrame) => {
      // What belongs to no frame is the browser's own.
      if (sent.frameId || isWorker) this.begins(sent);
    });
    session.on('Network.responseReceived', ({ requestId, response }: Received) => this.answered(requestId, response));
    session.on('Network.loadingFinished', ({ requestId, timestamp }: Failed) => this.ends(requestId, timestamp));
    session.on('Network.loadingFailed', this.failed);
    session.on('Fetch.requestPaused', (paused: Paused) => this.judge(session, paused));
    await session.send('Network.enable');
  }

  private begins(sent: WithFrame): void {
    const { requestId, redirectResponse, timestamp, request } = sent;
    if (redirectResponse) {
      this.answered(requestId, redirectResponse);
      this.ends(requestId, timestamp);
    }
    if (request.url.startsWith('data:') || isFavicon(request.url)) return;
    const begun = new BareRequest(sent);
    this.open.set(requestId, begun);
    this.tell('request', begun);
  }

  private answered(requestId: string, answer: Answer): void {
    const request = this.open.get(requestId);
    if (request) this.tell('response', request.answered(answer));
  }

  private ends(requestId: string, at: number): void {
    this.open.get(requestId)?.ended(at);
    this.open.delete(requestId);
  }

  private readonly failed = ({ requestId, timestamp, errorText, blockedReason }: Failed): void => {
    const request = this.open.get(requestId);
    this.ends(requestId, timestamp);
    // An answer without a body ends like this.
    if (!request || request.status === 204) return;
    request.failed(errorText || blockedReason || '');
    this.tell('requestfailed', request);
  };

  // Like Playwright: what a redirect leads to is not held up again.
  private judge(session: BareSession, { requestId, redirectedRequestId, request: { url } }: Paused): void {
    const refuse = redirectedRequestId || isFavicon(url) ? undefined : this.gate.isBlocked(url);
    refuse?.();
    if (refuse) void session.sendIfThere('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    else void session.sendIfThere('Fetch.continueRequest', { requestId });
  }

  private tell(event: string, about: unknown): void {
    for (const listener of this.listeners) listener.emit(event, about);
  }
}

// Asked for by the browser whenever it likes, and no part of the app.
function isFavicon(url: string): boolean {
  return url.endsWith('/favicon.ico');
}
