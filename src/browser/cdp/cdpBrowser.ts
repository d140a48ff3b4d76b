// Controls a running app by its debugging port, without Playwright. Implements the part of Playwright's interface that `cdp.*`
// actions and `RunPages` use.
import { EventEmitter } from 'node:events';
import type { Browser, BrowserContext, Cookie, Page, Route } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { CdpConnection, type CdpSession } from './cdpConnection.js';
import { deleteCookies, type NewCookie, readCookies, writeCookie } from './cdpCookies.js';
import { type CdpFrame, FrameList } from './cdpFrames.js';
import { forwardDialogs, forwardMessages } from './cdpPageEvents.js';
import { RequestTracker } from './cdpRequests.js';

const connectTimeoutMs = 10_000;

export async function connectOverCdp(port: number): Promise<Browser> {
  const response = await fetch(`http://127.0.0.1:${port}/json/version`, { signal: AbortSignal.timeout(connectTimeoutMs) });
  const { webSocketDebuggerUrl: url } = (await response.json()) as { webSocketDebuggerUrl?: unknown };
  if (typeof url !== 'string') throw new Error('The server at this port has no webSocketDebuggerUrl.');
  const browser = new CdpBrowser(await CdpConnection.open(url));
  try {
    await browser.open();
  } catch (thrown) {
    await browser.close();
    throw thrown;
  }
  return browser as unknown as Browser;
}

class CdpBrowser extends EventEmitter {
  private readonly context: CdpContext;
  private tracingSession: CdpSession | undefined;

  constructor(private readonly connection: CdpConnection) {
    super();
    this.context = new CdpContext(connection, this);
    connection.on('disconnected', () => this.emit('disconnected', this));
  }

  async open(): Promise<void> {
    await this.context.open();
  }

  contexts(): CdpContext[] {
    return [this.context];
  }

  browserType(): { name(): string } {
    return { name: () => 'chromium' };
  }

  async startTracing({ session }: CdpPage, { categories }: { categories: readonly string[] }): Promise<void> {
    await session.send('Tracing.start', { transferMode: 'ReturnAsStream', categories: categories.join(',') });
    this.tracingSession = session;
  }

  async stopTracing(): Promise<Buffer> {
    const session = this.tracingSession;
    if (!session) throw new Error('No trace is being recorded.');
    this.tracingSession = undefined;
    const done = new Promise<{ stream: string }>((resolve, reject) => {
      session.once('Tracing.tracingComplete', resolve);
      session.once('ended', () => reject(new Error('Target page, context or browser has been closed')));
    });
    const [{ stream }] = await Promise.all([done, session.send('Tracing.end')]);
    return readStream(session, stream);
  }

  /** Disconnects. The app keeps running. */
  async close(): Promise<void> {
    await this.connection.close();
  }
}

type Chunk = { data: string; base64Encoded?: boolean; eof: boolean };

async function readStream(session: CdpSession, handle: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const { data, base64Encoded, eof } = await session.send<Chunk>('IO.read', { handle });
    chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'utf8'));
    if (eof) break;
  }
  await session.sendIfThere('IO.close', { handle });
  return Buffer.concat(chunks);
}

type MatchUrl = (url: URL) => boolean;
type RefuseRoute = (route: Route) => unknown;
type CdpGeolocation = Parameters<BrowserContext['setGeolocation']>[0];
type AttachedTarget = { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };

/** Passed to a network block, which calls `abort`. The request itself is refused by `RequestTracker`. */
const abortedRoute = { abort: () => Promise.resolve() } as unknown as Route;

/** All pages of the app, and the settings that apply to all of them. */
class CdpContext
  extends EventEmitter
  implements Pick<BrowserContext, 'setOffline' | 'setGeolocation' | 'grantPermissions' | 'clearPermissions' | 'clearCookies'>
{
  private readonly pagesById = new Map<string, CdpPage>();
  private readonly readyPages: CdpPage[] = [];
  private readonly opening = new Set<Promise<void>>();
  private isOffline = false;
  private geolocation: CdpGeolocation = null;
  private routes: { matches: MatchUrl; refuse: RefuseRoute }[] = [];

  constructor(
    private readonly connection: CdpConnection,
    private readonly parentBrowser: CdpBrowser,
  ) {
    super();
  }

  /** Resolves when all open pages are known. Later ones emit the event `page`. */
  async open(): Promise<void> {
    const { root } = this.connection;
    root.on('Target.attachedToTarget', (attached: AttachedTarget) => {
      const opening = this.onAttached(attached).finally(() => this.opening.delete(opening));
      this.opening.add(opening);
    });
    await root.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await Promise.all(this.opening);
  }

  browser(): CdpBrowser {
    return this.parentBrowser;
  }

  pages(): CdpPage[] {
    return [...this.readyPages];
  }

  removePage(page: CdpPage): void {
    this.pagesById.delete(page.id);
    const at = this.readyPages.indexOf(page);
    if (at !== -1) this.readyPages.splice(at, 1);
  }

  sessionById(id: string): CdpSession {
    return this.connection.session(id);
  }

  async newCDPSession({ id }: CdpPage): Promise<CdpSession> {
    const params = { targetId: id, flatten: true };
    const { sessionId } = await this.connection.root.send<{ sessionId: string }>('Target.attachToTarget', params);
    return this.connection.session(sessionId);
  }

  async setOffline(offline: boolean): Promise<void> {
    this.isOffline = offline;
    await this.onEachSession((session) => setNetwork(session, offline));
  }

  async setGeolocation(geolocation: CdpGeolocation): Promise<void> {
    this.geolocation = geolocation;
    await this.onEachSession((session) => session.send('Emulation.setGeolocationOverride', toGeolocationParams(geolocation)));
  }

  async grantPermissions(permissions: string[]): Promise<void> {
    await this.connection.root.send('Browser.grantPermissions', { permissions });
  }

  async clearPermissions(): Promise<void> {
    await this.connection.root.send('Browser.resetPermissions');
  }

  async route(matches: MatchUrl, refuse: RefuseRoute): Promise<void> {
    this.routes.push({ matches, refuse });
    if (this.routes.length === 1) await this.onEachSession(interceptRequests);
  }

  async unroute(matches: MatchUrl): Promise<void> {
    this.routes = this.routes.filter((route) => route.matches !== matches);
    if (this.routes.length === 0) await this.onEachSession(stopIntercepting);
  }

  /** Undefined when the URL is not blocked. Otherwise call the result to count the refused request. */
  findBlock(url: string): (() => void) | undefined {
    const route = this.routes.findLast(({ matches }) => URL.canParse(url) && matches(new URL(url)));
    return route && (() => void route.refuse(abortedRoute));
  }

  cookies(url: string): Promise<Cookie[]> {
    return readCookies(this.connection.root, url);
  }

  async addCookies(cookies: readonly NewCookie[]): Promise<void> {
    for (const cookie of cookies) await writeCookie(this.connection.root, cookie);
  }

  async clearCookies(filter: { name: string; domain: string; path: string }): Promise<void> {
    await deleteCookies(this.connection.root, filter);
  }

  /** Applies the settings to the session of a new page or frame. */
  async applyTo(session: CdpSession): Promise<void> {
    if (this.isOffline) await setNetwork(session, true);
    if (this.routes.length > 0) await interceptRequests(session);
    if (this.geolocation) await session.send('Emulation.setGeolocationOverride', toGeolocationParams(this.geolocation));
  }

  private async onEachSession(work: (session: CdpSession) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.pagesById.values()].map((page) => page.onEachSession(work)));
  }

  private async onAttached({ sessionId, targetInfo, waitingForDebugger }: AttachedTarget): Promise<void> {
    // A second session of a known page, from newCDPSession.
    if (this.pagesById.has(targetInfo.targetId)) return;
    const session = this.connection.session(sessionId);
    if (targetInfo.type !== 'page') return releaseTarget(session);
    const page = new CdpPage(this, targetInfo, session);
    this.pagesById.set(page.id, page);
    // A page that closes while it opens is ignored.
    const isOpen = await page.open(waitingForDebugger).then(
      () => !page.isClosed(),
      () => false,
    );
    if (!isOpen) return this.removePage(page);
    this.readyPages.push(page);
    this.emit('page', page);
  }
}

async function releaseTarget(session: CdpSession): Promise<void> {
  await session.sendIfThere('Runtime.runIfWaitingForDebugger');
  await session.detach().catch(() => undefined);
}

function setNetwork(session: CdpSession, offline: boolean): Promise<object> {
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  return session.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}

// Without the cache, as cached responses cause no request that could be blocked.
async function interceptRequests(session: CdpSession): Promise<void> {
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] });
}

async function stopIntercepting(session: CdpSession): Promise<void> {
  await session.send('Fetch.disable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: false });
}

function toGeolocationParams(geolocation: CdpGeolocation): object {
  return geolocation ? { accuracy: 0, ...geolocation } : {};
}

type TargetInfo = { targetId: string; type: string; openerId?: string };

type AttachedChild = { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };
type EmulatedMedia = Pick<NonNullable<Parameters<Page['emulateMedia']>[0]>, 'colorScheme' | 'reducedMotion'>;

const pollMs = 50;

class CdpPage
  extends EventEmitter
  implements Pick<Page, 'url' | 'title' | 'isClosed' | 'bringToFront' | 'waitForLoadState' | 'emulateMedia'>
{
  readonly id: string;
  private readonly frameTree: FrameList;
  private readonly requests: RequestTracker;
  private media: EmulatedMedia | undefined;
  private hasClosed = false;
  /** The session of the page, and those of its frames of other sites. */
  private readonly sessions = new Set<CdpSession>();
  private onUrlChange = (): void => undefined;

  constructor(
    private readonly parentContext: CdpContext,
    private readonly info: TargetInfo,
    readonly session: CdpSession,
  ) {
    super();
    this.id = info.targetId;
    this.frameTree = new FrameList(info.targetId, () => this.onUrlChange());
    this.requests = new RequestTracker([this, parentContext], parentContext);
    session.on('ended', () => {
      this.hasClosed = true;
      this.onUrlChange();
      parentContext.removePage(this);
      this.emit('close', this);
    });
    session.on('Inspector.targetCrashed', () => this.emit('crash', this));
  }

  /** `isNew`: the page is paused before its first script. Resolves when the page has a URL. */
  async open(isNew: boolean): Promise<void> {
    if (isNew) forwardMessages(this.session, this);
    const hasUrl = new Promise<void>((resolve) => {
      this.onUrlChange = () => {
        if (this.hasClosed || !/^:?$/.test(this.url())) resolve();
      };
    });
    await this.setUpSession(this.session, false);
    await this.session.send('Log.enable');
    await this.session.sendIfThere('Inspector.enable');
    if (!isNew) forwardMessages(this.session, this);
    await this.session.send('Runtime.runIfWaitingForDebugger');
    this.onUrlChange();
    await hasUrl;
  }

  /** Runs `work` for the page and for its frames of other sites. */
  async onEachSession(work: (session: CdpSession) => Promise<unknown>): Promise<void> {
    const others = [...this.sessions].filter((session) => session !== this.session);
    await Promise.all([work(this.session), ...others.map((session) => work(session).catch(() => undefined))]);
  }

  context(): CdpContext {
    return this.parentContext;
  }

  url(): string {
    return this.frameTree.main.url();
  }

  title(): Promise<string> {
    return this.evaluate('document.title');
  }

  isClosed(): boolean {
    return this.hasClosed;
  }

  async opener(): Promise<CdpPage | null> {
    return this.parentContext.pages().find(({ id }) => id === this.info.openerId) ?? null;
  }

  mainFrame(): CdpFrame {
    return this.frameTree.main;
  }

  frames(): CdpFrame[] {
    return this.frameTree.all;
  }

  evaluate<T>(script: string): Promise<T> {
    return this.mainFrame().evaluate<T>(script);
  }

  async bringToFront(): Promise<void> {
    await this.session.send('Page.bringToFront');
  }

  async waitForLoadState(state: 'domcontentloaded', { timeout }: { timeout: number }): Promise<void> {
    if (!(await this.becomesTrue("document.readyState !== 'loading'", timeout)))
      throw new Error(`The page did not reach "${state}" within ${timeout} ms.`);
  }

  async waitForFunction(script: string, _: unknown, { timeout }: { timeout: number }): Promise<void> {
    if (!(await this.becomesTrue(script, timeout))) throw new Error(`${script} did not become true within ${timeout} ms.`);
  }

  async emulateMedia(media: EmulatedMedia): Promise<void> {
    this.media = { ...this.media, ...media };
    await this.onEachSession((session) => this.applyMedia(session));
  }

  private async becomesTrue(script: string, timeoutMs: number): Promise<boolean> {
    const deadline = systemClock.now() + timeoutMs;
    for (;;) {
      if (await this.evaluate<boolean>(script)) return true;
      if (systemClock.now() >= deadline) return false;
      await new Promise<void>((resume) => systemClock.after(pollMs, resume));
    }
  }

  // Everything is set up before the first script of the page runs.
  private async setUpSession(session: CdpSession, isWorker: boolean): Promise<void> {
    session.on('Target.attachedToTarget', (attached: AttachedChild) => void this.onChildAttached(attached));
    if (isWorker) return this.requests.watch(session, true);
    this.sessions.add(session);
    session.on('ended', () => this.sessions.delete(session));
    forwardDialogs(session, this.parentContext);
    await Promise.all([
      this.frameTree.watch(session),
      this.requests.watch(session, false),
      this.parentContext.applyTo(session),
      this.media && this.applyMedia(session),
      session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    ]);
  }

  private async onChildAttached({ sessionId, targetInfo: { type } }: AttachedChild): Promise<void> {
    const session = this.parentContext.sessionById(sessionId);
    // Fails when the frame or worker has ended already.
    if (type === 'iframe' || type === 'worker') await this.setUpSession(session, type === 'worker').catch(() => undefined);
    await session.sendIfThere('Runtime.runIfWaitingForDebugger');
  }

  private async applyMedia(session: CdpSession): Promise<void> {
    const { colorScheme, reducedMotion } = this.media ?? {};
    const features = [
      { name: 'prefers-color-scheme', value: colorScheme ?? '' },
      { name: 'prefers-reduced-motion', value: reducedMotion ?? '' },
    ];
    await session.send('Emulation.setEmulatedMedia', { features });
  }
}
