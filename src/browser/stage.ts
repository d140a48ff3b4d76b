// The pages of one run, as its actions share them: which one is looked at, what they said, whether they still live.
import type { BrowserContext, CDPSession, Dialog, Locator, Page } from '@playwright/test';
import { RecipeError } from '../evidence/failure.js';
import type { Noticed } from '../evidence/issueLog.js';
import type { SecretRange } from '../secrets/vault.js';
import { type Answered, type DialogAnswer, hasOthers, reply } from './dialogs.js';
import { Hearing, mostHeard } from './hearing.js';

/** `isOwn`: started for this run. An app that was attached to is never closed, and knows no base URL of its own. */
export type StageOptions = {
  isOwn: boolean;
  baseURL?: string;
  /** Where the secrets of the run stand in a text; a run without secrets has none to look for. */
  secretsIn?: ((text: string) => SecretRange[]) | undefined;
  /** How long a page may take to answer before it counts as hung and is left alone; 1 s. */
  patienceMs?: number;
};

/** For Playwright: it looks into open shadow roots as well. */
export const passwordField = 'input[type=password i]';

const stages = new WeakMap<Page, Stage>();

/** The stage a page belongs to; a page that nobody put on one gets its own. */
export function stageOf(page: Page): Stage {
  return stages.get(page) ?? new Stage(page, { isOwn: true });
}

export class Stage {
  /** What has been shown, by the words a node names it with: only what was there can go away. */
  readonly seen = new Set<string>();
  /** The hosts that the run opened on purpose; a picture of another one shows something else. */
  readonly hosts = new Set<string>();
  /** Every dialog so far, in order. */
  readonly dialogs: Answered[] = [];
  /** When no node says how, a dialog is dismissed, and a page that asks whether to leave is left. */
  dialogAnswer: DialogAnswer | undefined;
  readonly patienceMs: number;
  private current: Page;
  private readonly home: Page;
  private lostTo: RecipeError | undefined;
  private readonly hearing = new Hearing();
  private readonly watchers = new Set<(why: RecipeError) => void>();
  private readonly hidden: Locator[] = [];
  /** The one in front comes last. */
  private open: Page[] = [];
  private readonly ids = new Map<Page, string>();
  private readonly sessions = new Map<Page, Promise<CDPSession>>();
  private readonly withdrawals: (() => void)[] = [];

  constructor(
    page: Page,
    readonly options: StageOptions,
  ) {
    // Two that answer the same dialog would be in each other's way.
    stages.get(page)?.leave();
    this.patienceMs = options.patienceMs ?? 1_000;
    this.home = page;
    this.current = page;
    const context = page.context();
    const browser = context.browser();
    if (/^https?:/.test(page.url())) this.hosts.add(new URL(page.url()).host);
    for (const each of context.pages()) this.adopt(each);
    this.lookAt(page);
    context.on('page', this.adopt).on('dialog', this.answer).on('close', this.closed);
    browser?.on('disconnected', this.browserGone);
    this.withdrawals.push(() => context.off('page', this.adopt).off('dialog', this.answer).off('close', this.closed));
  }

  /** The page that nodes look at. */
  get page(): Page {
    return this.current;
  }

  get context(): BrowserContext {
    return this.current.context();
  }

  /** The page that was opened or looked at last, which lies over the others. */
  get front(): Page | undefined {
    return this.open.at(-1);
  }

  /** What took the page or the browser away. */
  get lost(): RecipeError | undefined {
    return this.lostTo;
  }

  /** Tells when the page or the browser goes away; the function it gives withdraws that. */
  onLost(tell: (why: RecipeError) => void): () => void {
    this.watchers.add(tell);
    return () => this.watchers.delete(tell);
  }

  lookAt(page: Page): void {
    this.adopt(page);
    this.current = page;
    this.open = [...this.open.filter((each) => each !== page), page];
  }

  /** The same for a page as long as it lives, and for no other page of the run. */
  idOf(page: Page): string {
    const id = this.ids.get(page) ?? `page-${this.ids.size + 1}`;
    this.ids.set(page, id);
    return id;
  }

  /** A session of the page that is looked at; Chromium only. */
  async cdp(): Promise<CDPSession> {
    const page = this.current;
    const session = this.sessions.get(page) ?? page.context().newCDPSession(page);
    this.sessions.set(page, session);
    session.catch(() => this.sessions.delete(page));
    return session;
  }

  /** Keeps a field out of every picture from now on. */
  conceal(field: Locator): void {
    this.hidden.push(field);
  }

  /** What no picture of this page may show: fields that were filled with a secret, and every field for a password. */
  masks(page: Page = this.current): Locator[] {
    const passwords = page.frames().map((frame) => frame.locator(passwordField));
    return [...this.concealed(page), ...passwords];
  }

  /** Of these, the fields that were filled with a secret. */
  concealed(page: Page = this.current): Locator[] {
    return this.hidden.filter((field) => field.page() === page);
  }

  notice(noticed: Noticed): void {
    this.hearing.notice(noticed);
  }

  /** What the pages said since the last time somebody asked. */
  hear(): Noticed[] {
    return this.hearing.hear();
  }

  /** The run is over: from now on, dialogs are for others. One who listens in place of another costs no message to the browser. */
  rest(): void {
    const context = this.home.context();
    context.prependListener('dialog', this.leaveToOthers).off('dialog', this.answer);
    this.withdrawals.push(() => context.off('dialog', this.leaveToOthers));
  }

  /** Stops listening: for pages that live on after the run. */
  leave(): void {
    for (const withdraw of this.withdrawals.splice(0)) withdraw();
    this.home.context().browser()?.off('disconnected', this.browserGone);
    for (const page of this.ids.keys()) if (stages.get(page) === this) stages.delete(page);
  }

  private readonly adopt = (page: Page): void => {
    if (stages.get(page) === this) return;
    stages.set(page, this);
    this.idOf(page);
    this.open.push(page);
    const closed = (): void => {
      this.open = this.open.filter((each) => each !== page);
      // Behind a popup that is done lies the page that opened it.
      if (page === this.current && !this.home.isClosed()) this.lookAt(this.home);
    };
    const crashed = (): void => {
      if (page === this.current) this.lose('ui.page_crashed', `The page ${page.url()} crashed.`);
    };
    page.on('close', closed).on('crash', crashed);
    this.withdrawals.push(() => page.off('close', closed).off('crash', crashed), this.hearing.listenTo(page));
  };

  // What is closed is silent, and to withdraw from it would still cost a message for most listeners.
  private readonly closed = (): void => void this.withdrawals.splice(0);

  private readonly browserGone = (): void => this.lose('ui.browser_gone', 'The browser went away.');

  private lose(code: string, message: string): void {
    this.lostTo ??= new RecipeError(
      code,
      'environment',
      `${message} Run the recipe again; a browser that dies often lacks memory.`,
    );
    for (const tell of this.watchers) tell(this.lostTo);
  }

  // Of the context, not of its pages: a popup may ask something before anybody knows of it.
  private readonly answer = (dialog: Dialog): void => {
    const type = dialog.type();
    const how = this.dialogAnswer ?? { accept: type === 'beforeunload' };
    const answer = how.accept ? 'accepted' : 'dismissed';
    if (this.dialogs.length < mostHeard) this.dialogs.push({ type, message: dialog.message(), answer });
    this.notice({ level: 'info', source: 'dialog', message: `${type} ${answer}: ${dialog.message()}` });
    reply(dialog, how);
  };

  // Where there are none, it does what Playwright does then.
  private readonly leaveToOthers = (dialog: Dialog): void => {
    if (!hasOthers(dialog, this.home.context())) reply(dialog, { accept: dialog.type() === 'beforeunload' });
  };
}
