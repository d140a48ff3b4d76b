// Stands between the browser and the network: every request of every page, frame, popup and worker, and every hop of a redirect.
import type { Browser, CDPSession } from '@playwright/test';
import { RecipeError } from '../../../evidence/failure.js';
import { hostOf, isAdmitted, notAdmitted } from '../hosts.js';
import { notPublic } from '../network/hostGuard.js';
import { type BeaconEvent, readBeacons, vendorOf } from '../readBeacons.js';
import type { Vendor } from '../vendorModel.js';
import { vendors } from '../vendors.js';
import type { Settled } from './settings.js';

export type Blocked = { url: string; why: string; what: 'navigation' | 'frame' | 'request' | 'socket'; step: string };

export type GuardOptions = {
  hosts: readonly string[];
  settings: Settled;
  step(): string;
  pageUrl(): string;
  stamp(): string;
  mask(text: string): string;
};

type Paused = {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    postData?: string;
    postDataEntries?: { bytes?: string }[];
  };
};

export class NavigationGuard {
  readonly blocked: Blocked[] = [];
  readonly beacons: BeaconEvent[] = [];
  /** Hosts that a page was let load something from. */
  readonly asked = new Set<string>();
  private readonly known: readonly Vendor[];
  private readonly handling = new Set<Promise<void>>();
  /** The addresses of pages and of frames that have a process of their own, by their frame. */
  private readonly shown = new Map<string, string>();

  private constructor(
    private readonly session: CDPSession,
    private readonly options: GuardOptions,
  ) {
    this.known = [...options.settings.vendors, ...vendors];
  }

  /** Of the whole browser: a session of one page would miss popups, frames of other sites, and workers. */
  static async open(browser: Browser, options: GuardOptions): Promise<NavigationGuard> {
    const session = await browser.newBrowserCDPSession().catch((cause: unknown) => {
      const message = 'A flow-spec runs only in Chromium: in this browser nothing keeps a page inside of its allowed hosts.';
      throw new RecipeError('flow_spec.needs_chromium', 'environment', message, undefined, { cause });
    });
    const guard = new NavigationGuard(session, options);
    session.on('Fetch.requestPaused', (event) => guard.track(event as unknown as Paused));
    // A request waits for its answer while its page goes on: where a page is has to be known before it is asked for.
    for (const event of ['Target.targetCreated', 'Target.targetInfoChanged'] as const)
      session.on(event, ({ targetInfo: { targetId, url } }) => void guard.shown.set(targetId, url));
    await session.send('Target.setDiscoverTargets', { discover: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return guard;
  }

  block(blocked: Omit<Blocked, 'step'>): void {
    this.blocked.push({ ...blocked, step: this.options.step() });
  }

  /** Waits until whatever is paused now has been decided. */
  async settled(): Promise<void> {
    await Promise.all(this.handling);
  }

  async close(): Promise<void> {
    // The browser may be gone already, and nothing is paused then.
    await this.session.detach().catch(() => undefined);
  }

  private track(event: Paused): void {
    const work = this.decide(event).catch(() => undefined);
    this.handling.add(work);
    void work.finally(() => this.handling.delete(work));
  }

  private async decide(event: Paused): Promise<void> {
    const { requestId, resourceType, request } = event;
    const { settings } = this.options;
    if (resourceType === 'Document') return this.decideDocument(event);
    const vendor = vendorOf(request.url, this.known);
    if (vendor && request.method !== 'OPTIONS') this.capture(event);
    if (vendor && !vendor.isLoader && settings.beacons === 'answer') return this.answer(event);
    const why = this.whyNotLoaded(request.url);
    if (why === undefined) return this.pass(requestId, request.url);
    this.block({ url: request.url, why, what: 'request' });
    await this.session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }

  /** A pixel may be a frame, or what a form sends to one; where the page itself goes is a beacon only when it may not. */
  private async decideDocument(event: Paused): Promise<void> {
    const { requestId, frameId, request } = event;
    const vendor = vendorOf(request.url, this.known);
    const why = this.whyNotThere(request.url);
    if (why === undefined && !vendor) return this.pass(requestId, request.url);
    const isTop = await this.isTop(frameId);
    if (why === undefined && isTop) return this.pass(requestId, request.url);
    if (vendor) this.capture(event);
    const isAnswered = vendor && !vendor.isLoader && !isTop && this.options.settings.beacons === 'answer';
    if (isAnswered) return this.answer(event);
    if (why === undefined) return this.pass(requestId, request.url);
    this.block({ url: request.url, why, what: isTop ? 'navigation' : 'frame' });
    // No content: the page stays where it is and shows no error of its own.
    await this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  }

  private whyNotThere(url: string): string | undefined {
    const { hosts, settings } = this.options;
    return isAdmitted(url, hosts) ? notPublic(url, settings) : notAdmitted(url, hosts);
  }

  // What a browser makes by itself (data:, blob:) goes nowhere.
  private whyNotLoaded(url: string): string | undefined {
    if (!/^https?:/.test(url)) return /^(data|blob):/.test(url) ? undefined : 'only http and https are loaded';
    const { hosts, settings } = this.options;
    if (settings.subresources === 'admitted-only' && !isAdmitted(url, hosts)) return notAdmitted(url, hosts);
    return notPublic(url, settings);
  }

  private async isTop(frameId: string): Promise<boolean> {
    const { targetInfos } = await this.session.send('Target.getTargets');
    return targetInfos.some(({ targetId, type }) => targetId === frameId && type === 'page');
  }

  private async pass(requestId: string, url: string): Promise<void> {
    const host = hostOf(url);
    if (host !== undefined) this.asked.add(host);
    await this.session.send('Fetch.continueRequest', { requestId });
  }

  /** Vendors get only the origin as Referer; a document that is asked for is not yet what its frame shows. */
  private pageUrlOf({ frameId, resourceType, request: { headers } }: Paused): string {
    const shown = resourceType === 'Document' ? undefined : this.shown.get(frameId);
    return shown !== undefined && /^https?:/.test(shown) ? shown : (headers.Referer ?? this.options.pageUrl());
  }

  private capture(event: Paused): void {
    const { request } = event;
    const { headers, url, method } = request;
    const [, basic] = /^Basic (.+)$/.exec(headers.Authorization ?? headers.authorization ?? '') ?? [];
    const auth = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0];
    const sent = {
      method,
      url,
      body: bodyOf(request),
      auth,
      pageUrl: this.pageUrlOf(event),
      timestamp: this.options.stamp(),
      mask: this.options.mask,
    };
    this.beacons.push(...readBeacons(sent, this.known));
  }

  /** As the vendor would: the page notices nothing. */
  private async answer({ requestId, request }: Paused): Promise<void> {
    const { headers } = request;
    const origin = headers.Origin ?? headers.origin;
    const asked = headers['Access-Control-Request-Headers'] ?? headers['access-control-request-headers'];
    const responseHeaders = [
      { name: 'access-control-allow-origin', value: origin ?? '*' },
      ...(origin === undefined ? [] : [{ name: 'access-control-allow-credentials', value: 'true' }]),
      { name: 'access-control-allow-methods', value: 'GET, POST, OPTIONS' },
      ...(asked === undefined ? [] : [{ name: 'access-control-allow-headers', value: asked }]),
    ];
    await this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204, responseHeaders });
  }
}

function bodyOf({ postData, postDataEntries = [] }: Paused['request']): Uint8Array | undefined {
  const bytes = postDataEntries.map(({ bytes: each = '' }) => Buffer.from(each, 'base64'));
  if (bytes.length > 0) return Buffer.concat(bytes);
  return postData === undefined ? undefined : Buffer.from(postData);
}
