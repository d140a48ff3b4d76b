// Intercepts every request of a browser, including those of popups, workers and redirects. Blocks requests that leave the hosts
// of the flow, and captures beacons.
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
  /** Hosts from which a page was allowed to load. */
  readonly loadedHosts = new Set<string>();
  private readonly knownVendors: readonly Vendor[];
  private readonly pendingDecisions = new Set<Promise<void>>();
  /** The URLs of pages and of frames with a process of their own, by frame id. */
  private readonly frameUrls = new Map<string, string>();

  private constructor(
    private readonly session: CDPSession,
    private readonly options: GuardOptions,
  ) {
    this.knownVendors = [...options.settings.vendors, ...vendors];
  }

  /** Opens a CDP session of the whole browser. A session of a page would miss popups, frames of other sites, and workers. */
  static async open(browser: Browser, options: GuardOptions): Promise<NavigationGuard> {
    const session = await browser.newBrowserCDPSession().catch((cause: unknown) => {
      const message = 'A flow-spec runs only in Chromium. In this browser, a page cannot be kept within its allowed hosts.';
      throw new RecipeError('flow_spec.needs_chromium', 'environment', message, undefined, { cause });
    });
    const guard = new NavigationGuard(session, options);
    session.on('Fetch.requestPaused', (event) => guard.trackRequest(event as unknown as PausedRequest));
    // A page can navigate while a request is paused, so URLs of pages are recorded before they are needed.
    for (const event of ['Target.targetCreated', 'Target.targetInfoChanged'] as const)
      session.on(event, ({ targetInfo: { targetId, url } }) => void guard.frameUrls.set(targetId, url));
    await session.send('Target.setDiscoverTargets', { discover: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return guard;
  }

  block(blocked: Omit<BlockedRequest, 'step'>): void {
    this.blocked.push({ ...blocked, step: this.options.step() });
  }

  /** Waits until all paused requests are decided. */
  async waitUntilDecided(): Promise<void> {
    await Promise.all(this.pendingDecisions);
  }

  async close(): Promise<void> {
    // Fails when the browser is closed; then no request is paused.
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
    const reason = this.explainLoadBlock(request.url);
    if (reason === undefined) return this.continueRequest(requestId, request.url);
    this.block({ url: request.url, why: reason, what: 'request' });
    await this.session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }

  /**
   * Decides about a request for a document. A beacon can be sent by loading a frame, or by submitting a form into a frame. A
   * navigation of the page itself counts as a beacon only when it is blocked.
   */
  private async decideDocument(event: PausedRequest): Promise<void> {
    const { requestId, frameId, request } = event;
    const vendor = findVendor(request.url, this.knownVendors);
    const reason = this.explainNavigationBlock(request.url);
    if (reason === undefined && !vendor) return this.continueRequest(requestId, request.url);
    const isTopFrame = await this.isTopFrame(frameId);
    if (reason === undefined && isTopFrame) return this.continueRequest(requestId, request.url);
    if (vendor) this.captureBeacons(event);
    const isAnswered = vendor && !vendor.isLoader && !isTopFrame && this.options.settings.beacons === 'answer';
    if (isAnswered) return this.answerLocally(event);
    if (reason === undefined) return this.continueRequest(requestId, request.url);
    this.block({ url: request.url, why: reason, what: isTopFrame ? 'navigation' : 'frame' });
    // With 204 No Content, the browser stays on the page and shows no error.
    await this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
  }

  private explainNavigationBlock(url: string): string | undefined {
    const { hosts, settings } = this.options;
    return isAdmitted(url, hosts) ? explainNotPublic(url, settings) : explainNotAdmitted(url, hosts);
  }

  // data: and blob: URLs cause no network traffic.
  private explainLoadBlock(url: string): string | undefined {
    if (!/^https?:/.test(url)) return /^(data|blob):/.test(url) ? undefined : 'only http and https URLs are loaded';
    const { hosts, settings } = this.options;
    if (settings.subresources === 'admitted-only' && !isAdmitted(url, hosts)) return explainNotAdmitted(url, hosts);
    return explainNotPublic(url, settings);
  }

  private async isTopFrame(frameId: string): Promise<boolean> {
    const { targetInfos } = await this.session.send('Target.getTargets');
    return targetInfos.some(({ targetId, type }) => targetId === frameId && type === 'page');
  }

  private async continueRequest(requestId: string, url: string): Promise<void> {
    const host = parseHost(url);
    if (host !== undefined) this.loadedHosts.add(host);
    await this.session.send('Fetch.continueRequest', { requestId });
  }

  /**
   * Returns the URL of the frame, because the Referer may be only the origin. For a document request, the frame still has its old
   * URL.
   */
  private findPageUrl({ frameId, resourceType, request: { headers } }: PausedRequest): string {
    const frameUrl = resourceType === 'Document' ? undefined : this.frameUrls.get(frameId);
    return frameUrl !== undefined && /^https?:/.test(frameUrl) ? frameUrl : (headers.Referer ?? this.options.pageUrl());
  }

  private captureBeacons(event: PausedRequest): void {
    const { request } = event;
    const { headers, url, method } = request;
    const [, basic] = /^Basic (.+)$/.exec(headers.Authorization ?? headers.authorization ?? '') ?? [];
    const auth = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0];
    const sentRequest = {
      method,
      url,
      body: readRequestBody(request),
      auth,
      pageUrl: this.findPageUrl(event),
      timestamp: this.options.now(),
      mask: this.options.mask,
    };
    this.beacons.push(...readBeacons(sentRequest, this.knownVendors));
  }

  /** Answers like the vendor, so that the page notices nothing. */
  private async answerLocally({ requestId, request }: PausedRequest): Promise<void> {
    const { headers } = request;
    const origin = headers.Origin ?? headers.origin;
    const requestedHeaders = headers['Access-Control-Request-Headers'] ?? headers['access-control-request-headers'];
    const responseHeaders = [
      { name: 'access-control-allow-origin', value: origin ?? '*' },
      ...(origin === undefined ? [] : [{ name: 'access-control-allow-credentials', value: 'true' }]),
      { name: 'access-control-allow-methods', value: 'GET, POST, OPTIONS' },
      ...(requestedHeaders === undefined ? [] : [{ name: 'access-control-allow-headers', value: requestedHeaders }]),
    ];
    await this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204, responseHeaders });
  }
}

function readRequestBody({ postData, postDataEntries = [] }: PausedRequest['request']): Uint8Array | undefined {
  const chunks = postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64'));
  if (chunks.length > 0) return Buffer.concat(chunks);
  return postData === undefined ? undefined : Buffer.from(postData);
}
