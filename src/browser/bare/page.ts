// A page of a running app, as far as `cdp.*` uses one.
import { EventEmitter } from 'node:events';
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import type { BareContext } from './context.js';
import { type BareFrame, Frames } from './frames.js';
import type { BareSession } from './session.js';
import { Traffic } from './traffic.js';
import { hearDialogs, hearPage } from './voices.js';

export type TargetInfo = { targetId: string; type: string; openerId?: string };

type Attached = { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean };
type Media = Pick<NonNullable<Parameters<Page['emulateMedia']>[0]>, 'colorScheme' | 'reducedMotion'>;

const pauseMs = 50;

export class BarePage
  extends EventEmitter
  implements Pick<Page, 'url' | 'title' | 'isClosed' | 'bringToFront' | 'waitForLoadState' | 'emulateMedia'>
{
  readonly id: string;
  private readonly frameList: Frames;
  private readonly traffic: Traffic;
  private media: Media | undefined;
  private hasClosed = false;
  /** Its own and those of its frames elsewhere. */
  private readonly sessions = new Set<BareSession>();
  private shown = (): void => undefined;

  constructor(
    private readonly home: BareContext,
    private readonly info: TargetInfo,
    readonly session: BareSession,
  ) {
    super();
    this.id = info.targetId;
    this.frameList = new Frames(info.targetId, () => this.shown());
    this.traffic = new Traffic([this, home], home);
    session.on('ended', () => {
      this.hasClosed = true;
      this.shown();
      home.drop(this);
      this.emit('close', this);
    });
    session.on('Inspector.targetCrashed', () => this.emit('crash', this));
  }

  /** `isNew`: it waits until it is told to begin. Comes back when there is a document. */
  async open(isNew: boolean): Promise<void> {
    if (isNew) hearPage(this.session, this);
    const shown = new Promise<void>((resolve) => {
      this.shown = () => {
        if (this.hasClosed || !/^:?$/.test(this.url())) resolve();
      };
    });
    await this.furnish(this.session, false);
    await this.session.send('Log.enable');
    await this.session.sendIfThere('Inspector.enable');
    if (!isNew) hearPage(this.session, this);
    await this.session.send('Runtime.runIfWaitingForDebugger');
    this.shown();
    await shown;
  }

  /** Does something in the page and in its frames of other sites. */
  async onEach(work: (session: BareSession) => Promise<unknown>): Promise<void> {
    const others = [...this.sessions].filter((session) => session !== this.session);
    await Promise.all([work(this.session), ...others.map((session) => work(session).catch(() => undefined))]);
  }

  context(): BareContext {
    return this.home;
  }

  url(): string {
    return this.frameList.main.url();
  }

  title(): Promise<string> {
    return this.evaluate('document.title');
  }

  isClosed(): boolean {
    return this.hasClosed;
  }

  async opener(): Promise<BarePage | null> {
    return this.home.pages().find(({ id }) => id === this.info.openerId) ?? null;
  }

  mainFrame(): BareFrame {
    return this.frameList.main;
  }

  frames(): BareFrame[] {
    return this.frameList.all;
  }

  evaluate<T>(script: string): Promise<T> {
    return this.mainFrame().evaluate<T>(script);
  }

  async bringToFront(): Promise<void> {
    await this.session.send('Page.bringToFront');
  }

  async waitForLoadState(state: 'domcontentloaded', { timeout }: { timeout: number }): Promise<void> {
    if (!(await this.comesTrue("document.readyState !== 'loading'", timeout)))
      throw new Error(`The page did not reach "${state}" in ${timeout} ms.`);
  }

  async waitForFunction(script: string, _: unknown, { timeout }: { timeout: number }): Promise<void> {
    if (!(await this.comesTrue(script, timeout))) throw new Error(`${script} did not come true in ${timeout} ms.`);
  }

  async emulateMedia(media: Media): Promise<void> {
    this.media = { ...this.media, ...media };
    await this.onEach((session) => this.showMedia(session));
  }

  private async comesTrue(script: string, timeoutMs: number): Promise<boolean> {
    const until = systemClock.now() + timeoutMs;
    for (;;) {
      if (await this.evaluate<boolean>(script)) return true;
      if (systemClock.now() >= until) return false;
      await new Promise<void>((resume) => systemClock.after(pauseMs, resume));
    }
  }

  // Everything is there before the first line of the page runs.
  private async furnish(session: BareSession, isWorker: boolean): Promise<void> {
    const children = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    session.on('Target.attachedToTarget', (attached: Attached) => void this.adopt(attached));
    if (isWorker) return this.traffic.watch(session, true);
    this.sessions.add(session);
    session.on('ended', () => this.sessions.delete(session));
    hearDialogs(session, this.home);
    const watching = [this.frameList.watch(session), this.traffic.watch(session, false)];
    const setting = [this.home.applyTo(session), this.media && this.showMedia(session)];
    await Promise.all([...watching, ...setting, session.send('Target.setAutoAttach', children)]);
  }

  private async adopt({ sessionId, targetInfo: { type } }: Attached): Promise<void> {
    const session = this.home.sessionBy(sessionId);
    // One that is gone again at once needs nothing.
    if (type === 'iframe' || type === 'worker') await this.furnish(session, type === 'worker').catch(() => undefined);
    await session.sendIfThere('Runtime.runIfWaitingForDebugger');
  }

  private async showMedia(session: BareSession): Promise<void> {
    const { colorScheme, reducedMotion } = this.media ?? {};
    const features = [
      { name: 'prefers-color-scheme', value: colorScheme ?? '' },
      { name: 'prefers-reduced-motion', value: reducedMotion ?? '' },
    ];
    await session.send('Emulation.setEmulatedMedia', { features });
  }
}
