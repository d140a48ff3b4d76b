// Requests and their answers, as the network log reads them.
import type { Request, Response } from '@playwright/test';

export type Headers = Readonly<Record<string, string>>;

export type Sent = {
  requestId: string;
  request: { url: string; method: string; headers: Headers };
  timestamp: number;
  type?: string;
  redirectResponse?: Answer;
};

export type Answer = {
  status: number;
  statusText: string;
  headers: Headers;
  timing?: { sendStart: number; receiveHeadersEnd: number };
};

type Timing = Pick<ReturnType<Request['timing']>, 'requestStart' | 'responseStart' | 'responseEnd'>;

/** The kinds of the protocol that have no word of their own. */
const others = new Set(['Prefetch', 'SignedExchange', 'Preflight', 'FedCM', 'Other']);

export class BareRequest implements Pick<Request, 'url' | 'method' | 'resourceType' | 'headers' | 'failure'> {
  private answer: BareResponse | undefined;
  private why: string | undefined;
  private endedMs = -1;

  constructor(private readonly sent: Sent) {}

  url(): string {
    return this.sent.request.url.replace(/#.*$/s, '');
  }

  method(): string {
    return this.sent.request.method;
  }

  resourceType(): string {
    const { type = 'Other' } = this.sent;
    if (type === 'CSPViolationReport') return 'cspreport';
    return others.has(type) ? 'other' : type.toLowerCase();
  }

  headers(): Record<string, string> {
    return lowerCase(this.sent.request.headers);
  }

  failure(): { errorText: string } | null {
    return this.why === undefined ? null : { errorText: this.why };
  }

  async response(): Promise<BareResponse | null> {
    return this.answer ?? null;
  }

  timing(): Timing {
    const { sendStart = -1, receiveHeadersEnd = -1 } = this.answer?.answer.timing ?? {};
    return { requestStart: sendStart, responseStart: receiveHeadersEnd, responseEnd: this.endedMs };
  }

  get status(): number | undefined {
    return this.answer?.status();
  }

  answered(answer: Answer): BareResponse {
    this.answer = new BareResponse(this, answer);
    return this.answer;
  }

  failed(why: string): void {
    this.why = why;
  }

  /** `at`: in seconds, by the clock of the browser. */
  ended(at: number): void {
    this.endedMs = (at - this.sent.timestamp) * 1_000;
  }
}

export class BareResponse implements Pick<Response, 'status' | 'statusText' | 'headers'> {
  constructor(
    private readonly asked: BareRequest,
    readonly answer: Answer,
  ) {}

  request(): BareRequest {
    return this.asked;
  }

  status(): number {
    return this.answer.status;
  }

  statusText(): string {
    return this.answer.statusText;
  }

  headers(): Record<string, string> {
    return lowerCase(this.answer.headers);
  }
}

function lowerCase(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
