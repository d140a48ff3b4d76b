// All pages of a running app, and what is set for all of them.
import { EventEmitter } from 'node:events';
import type { BrowserContext, Cookie, Route } from '@playwright/test';
import type { BareBrowser } from './browser.js';
import { dropCookies, type NewCookie, readCookies, writeCookie } from './cookies.js';
import { BarePage, type TargetInfo } from './page.js';
import type { BareSession } from './session.js';
import type { Wire } from './wire.js';

type Matches = (url: URL) => boolean;
type Refuse = (route: Route) => unknown;
type Place = Parameters<BrowserContext['setGeolocation']>[0];
type Attached = { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };

/** What a block is handed: that it is asked at all is the answer. */
const refused = { abort: () => Promise.resolve() } as unknown as Route;

export class BareContext
  extends EventEmitter
  implements Pick<BrowserContext, 'setOffline' | 'setGeolocation' | 'grantPermissions' | 'clearPermissions' | 'clearCookies'>
{
  private readonly known = new Map<string, BarePage>();
  private readonly shown: BarePage[] = [];
  private readonly opening = new Set<Promise<void>>();
  private isOffline = false;
  private place: Place = null;
  private routes: { matches: Matches; refuse: Refuse }[] = [];

  constructor(
    private readonly wire: Wire,
    private readonly owner: BareBrowser,
  ) {
    super();
  }

  /** Comes back when the pages that are open are known; those that open later are told. */
  async open(): Promise<void> {
    const { root } = this.wire;
    root.on('Target.attachedToTarget', (attached: Attached) => {
      const opening = this.adopt(attached).finally(() => this.opening.delete(opening));
      this.opening.add(opening);
    });
    await root.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await Promise.all(this.opening);
  }

  browser(): BareBrowser {
    return this.owner;
  }

  pages(): BarePage[] {
    return [...this.shown];
  }

  drop(page: BarePage): void {
    this.known.delete(page.id);
    const at = this.shown.indexOf(page);
    if (at !== -1) this.shown.splice(at, 1);
  }

  sessionBy(id: string): BareSession {
    return this.wire.session(id);
  }

  async newCDPSession({ id }: BarePage): Promise<BareSession> {
    const asked = { targetId: id, flatten: true };
    const { sessionId } = await this.wire.root.send<{ sessionId: string }>('Target.attachToTarget', asked);
    return this.wire.session(sessionId);
  }

  async setOffline(offline: boolean): Promise<void> {
    this.isOffline = offline;
    await this.onEach((session) => setNetwork(session, offline));
  }

  async setGeolocation(place: Place): Promise<void> {
    this.place = place;
    await this.onEach((session) => session.send('Emulation.setGeolocationOverride', placeOf(place)));
  }

  async grantPermissions(permissions: string[]): Promise<void> {
    await this.wire.root.send('Browser.grantPermissions', { permissions });
  }

  async clearPermissions(): Promise<void> {
    await this.wire.root.send('Browser.resetPermissions');
  }

  async route(matches: Matches, refuse: Refuse): Promise<void> {
    this.routes.push({ matches, refuse });
    if (this.routes.length === 1) await this.onEach(holdUp);
  }

  async unroute(matches: Matches): Promise<void> {
    this.routes = this.routes.filter((route) => route.matches !== matches);
    if (this.routes.length === 0) await this.onEach(letThrough);
  }

  /** What is to be told of it; undefined for what gets through. */
  isBlocked(url: string): (() => void) | undefined {
    const route = this.routes.findLast(({ matches }) => URL.canParse(url) && matches(new URL(url)));
    return route && (() => void route.refuse(refused));
  }

  cookies(url: string): Promise<Cookie[]> {
    return readCookies(this.wire.root, url);
  }

  async addCookies(cookies: readonly NewCookie[]): Promise<void> {
    for (const cookie of cookies) await writeCookie(this.wire.root, cookie);
  }

  async clearCookies(named: { name: string; domain: string; path: string }): Promise<void> {
    await dropCookies(this.wire.root, named);
  }

  /** What is set for all, for a page or a frame that is new. */
  async applyTo(session: BareSession): Promise<void> {
    if (this.isOffline) await setNetwork(session, true);
    if (this.routes.length > 0) await holdUp(session);
    if (this.place) await session.send('Emulation.setGeolocationOverride', placeOf(this.place));
  }

  private async onEach(work: (session: BareSession) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.known.values()].map((page) => page.onEach(work)));
  }

  private async adopt({ sessionId, targetInfo, waitingForDebugger }: Attached): Promise<void> {
    // A second session with a page, which somebody asked for.
    if (this.known.has(targetInfo.targetId)) return;
    const session = this.wire.session(sessionId);
    if (targetInfo.type !== 'page') return letGo(session);
    const page = new BarePage(this, targetInfo, session);
    this.known.set(page.id, page);
    // One that closes while it opens was never there.
    const isOpen = await page.open(waitingForDebugger).then(
      () => !page.isClosed(),
      () => false,
    );
    if (!isOpen) return this.drop(page);
    this.shown.push(page);
    this.emit('page', page);
  }
}

async function letGo(session: BareSession): Promise<void> {
  await session.sendIfThere('Runtime.runIfWaitingForDebugger');
  await session.detach().catch(() => undefined);
}

function setNetwork(session: BareSession, offline: boolean): Promise<object> {
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  return session.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}

// What the browser has already would not be asked for.
async function holdUp(session: BareSession): Promise<void> {
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] });
}

async function letThrough(session: BareSession): Promise<void> {
  await session.send('Fetch.disable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: false });
}

function placeOf(place: Place): object {
  return place ? { accuracy: 0, ...place } : {};
}
