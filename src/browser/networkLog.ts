// The requests of all pages of a stage, from one moment to another.
import type { BrowserContext, Request } from '@playwright/test';
import { urlTest } from './networkBlock.js';
import type { Stage } from './stage.js';

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
const mostKept = 5_000;

const logs = new WeakMap<Stage, NetworkLog>();

export type Watch = { url?: string | undefined; capture?: readonly Outcome[] | undefined; wall(): string };

/** Undefined when one is kept already. */
export function openNetworkLog(stage: Stage, watch: Watch): NetworkLog | undefined {
  if (logs.has(stage)) return undefined;
  const log = new NetworkLog(stage.context, watch);
  logs.set(stage, log);
  return log;
}

/** Ends the log and hands it over; undefined when none was kept. */
export function closeNetworkLog(stage: Stage): NetworkLog | undefined {
  const log = logs.get(stage);
  logs.delete(stage);
  log?.close();
  return log;
}

export class NetworkLog {
  readonly exchanges: Exchange[] = [];
  /** How many more there were. */
  dropped = 0;
  private readonly byRequest = new Map<Request, Exchange>();
  private readonly isWanted: (url: string) => boolean;

  constructor(
    private readonly context: BrowserContext,
    readonly watch: Watch,
  ) {
    this.isWanted = urlTest(watch.url ?? '');
    context.on('request', this.begins).on('response', this.answered).on('requestfailed', this.failed);
  }

  close(): void {
    this.context.off('request', this.begins).off('response', this.answered).off('requestfailed', this.failed);
  }

  private readonly begins = (request: Request): void => {
    const url = request.url();
    if (!this.isWanted(url)) return;
    if (this.exchanges.length >= mostKept) {
      this.dropped++;
      return;
    }
    const [method, kind] = [request.method(), request.resourceType()];
    const exchange: Exchange = { at: this.watch.wall(), request, method, url, kind, outcome: 'request' };
    this.exchanges.push(exchange);
    this.byRequest.set(request, exchange);
  };

  private readonly answered = (response: { request(): Request; status(): number }): void => {
    const exchange = this.byRequest.get(response.request());
    if (exchange) Object.assign(exchange, { outcome: 'response', status: response.status() });
  };

  private readonly failed = (request: Request): void => {
    const exchange = this.byRequest.get(request);
    if (exchange) Object.assign(exchange, { outcome: 'failure', failure: request.failure()?.errorText ?? 'failed' });
  };
}
