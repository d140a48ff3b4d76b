// Stands between the browser and the network: every request of every page, frame, popup and worker, and every hop of a redirect.
import type { Browser, CDPSession } from '@playwright/test';
import { RecipeError } from '../../../evidence/recipeError.js';
import { type BeaconEvent, findVendor, readBeacons } from '../readBeacons.js';
import type { ResolvedSettings } from '../settings.js';
import { type Vendor, vendors } from '../vendors.js';
import { explainNotAdmitted, isAdmitted, parseHost } from './admittedHosts.js';
import { explainNotPublic } from './privateHosts.js';

export type BlockedRequest = { url: string; why: string; what: 'navigation' | 'frame' | 'request' | 'socket'; step: string };

type GuardOptions = {
  hosts: readonly string[];
  settings: ResolvedSettings;
  step(): string;
  pageUrl(): string;
  now(): string;
  mask(text: string): string;
};

type PausedRequest = {
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
  readonly blocked: BlockedRequest[] = [];
  readonly beacons: BeaconEvent[] = [];
  /** Hosts that a page was let load something from. */
  readonly loadedHosts = new Set<string>();
  private readonly knownVendors: readonly Vendor[];
  private readonly pendingDecisions = new Set<Promise<void>>();
  /** The addresses of pages and of frames that have a process of their own, by their frame. */
  private readonly frameUrls = new Map<string, string>();

  private constructor(
    private readonly session: CDPSession,
    private readonly options: GuardOptions,
  ) {
    this.knownVendors = [...options.settings.vendors, ...vendors];
  }

  /** Of the whole browser: a session of one page would miss popups, frames of other sites, and workers. */
  static async open(browser: Browser, options: GuardOptions): Promise<NavigationGuard> {
    const session = await browser.newBrowserCDPSession().catch((cause: unknown) => {
      const message = 'A flow-spec runs only in Chromium: in this browser nothing keeps a page inside of its allowed hosts.';
      throw new RecipeError('flow_spec.needs_chromium', 'environment', message, undefined, { cause });
    });
    const guard = new NavigationGuard(session, options);
    session.on('Fetch.requestPaused', (event) => guard.trackRequest(event as unknown as PausedRequest));
    // A request waits for its answer while its page goes on: where a page is has to be known before it is asked for.
    for (const event of ['Target.targetCreated', 'Target.targetInfoChanged'] as const)
      session.on(event, ({ targetInfo: { targetId, url } }) => void guard.frameUrls.set(targetId, url));
    await session.send('Target.setDiscoverTargets', { discover: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return guard;
  }

  block(blocked: Omit<BlockedRequest, 'step'>): void {
    this.blocked.push({ ...blocked, step: this.options.step() });
  }

  /** Waits until whatever is paused now has been decided. */
  async waitUntilDecided(): Promise<void> {
    await Promise.all(this.pendingDecisions);
  }

  async close(): Promise<void> {
    // The browser may be gone already, and nothing is paused then.
    await this.session.detach().catch(() => undefined);
  }

  private trackRequest(event: PausedRequest): void {
    const work = this.decide(event).catch(() => undefined);
    this.pendingDecisions.add(work);
    void work.finally(() => this.pendingDecisions.delete(work));
  }

  private async decide(event: PausedRequest): Promise<void> {
    const { requestId, resourceType, request } = event;
    const { settings } = this.options;
    if (resourceType === 'Document') return this.decideDocument(event);
    const vendor = findVendor(request.url, this.knownVendors);
    if (vendor && request.method !== 'OPTIONS') this.captureBeacons(event);
    if (vendor && !vendor.isLoader && settings.beacons === 'answer') return this.answerLocally(event);
    const why = this.explainLoadBlock(request.url);
    if (why === undefined) return this.continueRequest(requestId, request.url);
    this.block({ url: request.url, why, what: 'request' });
    await this.session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }

  /** A pixel may be a frame, or what a form sends to one; where the page itself goes is a beacon only when it may not. */
  private async decideDocument(event: PausedRequest): Promise<void> {
    const { requestId, frameId, request } = event;
    const vendor = findVendor(request.url, this.knownVendors);
    const why = this.explainNavigationBlock(request.url);
    if (why === undefined && !vendor) return this.continueRequest(requestId, request.url);
    const isTop = await this.isTop(frameId);
    if (why === undefined && isTop) return this.continueRequest(requestId, request.url);
    if (vendor) this.captureBeacons(event);
    const isAnswered = vendor && !vendor.isLoader && !isTop && this.options.settings.beacons === 'answer';
    if (isAnswered) return this.answerLocally(event);
    if (why === undefined) return this.continueRequest(requestId, request.url);
    this.block({ url: request.url, why, what: isTop ? 'navigation' : 'frame' });
    // No content: the page stays where it is and shows no error of its own.
    await this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  }

  private explainNavigationBlock(url: string): string | undefined {
    const { hosts, settings } = this.options;
    return isAdmitted(url, hosts) ? explainNotPublic(url, settings) : explainNotAdmitted(url, hosts);
  }

  // What a browser makes by itself (data:, blob:) goes nowhere.
  private explainLoadBlock(url: string): string | undefined {
    if (!/^https?:/.test(url)) return /^(data|blob):/.test(url) ? undefined : 'only http and https are loaded';
    const { hosts, settings } = this.options;
    if (settings.subresources === 'admitted-only' && !isAdmitted(url, hosts)) return explainNotAdmitted(url, hosts);
    return explainNotPublic(url, settings);
  }

  private async isTop(frameId: string): Promise<boolean> {
    const { targetInfos } = await this.session.send('Target.getTargets');
    return targetInfos.some(({ targetId, type }) => targetId === frameId && type === 'page');
  }

  private async continueRequest(requestId: string, url: string): Promise<void> {
    const host = parseHost(url);
    if (host !== undefined) this.loadedHosts.add(host);
    await this.session.send('Fetch.continueRequest', { requestId });
  }

  /** Vendors get only the origin as Referer; a document that is asked for is not yet what its frame shows. */
  private findPageUrl({ frameId, resourceType, request: { headers } }: PausedRequest): string {
    const frameUrl = resourceType === 'Document' ? undefined : this.frameUrls.get(frameId);
    return frameUrl !== undefined && /^https?:/.test(frameUrl) ? frameUrl : (headers.Referer ?? this.options.pageUrl());
  }

  private captureBeacons(event: PausedRequest): void {
    const { request } = event;
    const { headers, url, method } = request;
    const [, basic] = /^Basic (.+)$/.exec(headers.Authorization ?? headers.authorization ?? '') ?? [];
    const auth = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0];
    const sent = {
      method,
      url,
      body: readRequestBody(request),
      auth,
      pageUrl: this.findPageUrl(event),
      timestamp: this.options.now(),
      mask: this.options.mask,
    };
    this.beacons.push(...readBeacons(sent, this.knownVendors));
  }

  /** As the vendor would: the page notices nothing. */
  private async answerLocally({ requestId, request }: PausedRequest): Promise<void> {
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

function readRequestBody({ postData, postDataEntries = [] }: PausedRequest['request']): Uint8Array | undefined {
  const bytes = postDataEntries.map(({ bytes: each = '' }) => Buffer.from(each, 'base64'));
  if (bytes.length > 0) return Buffer.concat(bytes);
  return postData === undefined ? undefined : Buffer.from(postData);
}
