// The pages of one run, as its actions share them: which one is looked at, what they said, whether they still live.
import type { BrowserContext, CDPSession, Dialog, Locator, Page } from '@playwright/test';
import type { UnexpectedLog } from '../evidence/issues.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { SecretRange } from '../secrets/vault.js';
import { maxMessages, PageMessages } from './pageMessages.js';

/** `isOwn`: started for this run. An app that was attached to is never closed, and knows no base URL of its own. */
export type RunPagesOptions = {
  isOwn: boolean;
  baseURL?: string;
  /** Where the secrets of the run stand in a text; a run without secrets has none to look for. */
  secretsIn?: ((text: string) => SecretRange[]) | undefined;
  /** How long a page may take to answer before it counts as hung and is left alone; 1 s. */
  patienceMs?: number;
};

/** For Playwright: it looks into open shadow roots as well. */
export const passwordSelector = 'input[type=password i]';

const runPagesByPage = new WeakMap<Page, RunPages>();

/** The stage a page belongs to; a page that nobody put on one gets its own. */
export function runPagesOf(page: Page): RunPages {
  return runPagesByPage.get(page) ?? new RunPages(page, { isOwn: true });
}

export class RunPages {
  /** What has been shown, by the words a node names it with: only what was there can go away. */
  readonly seenTargets = new Set<string>();
  /** The hosts that the run opened on purpose; a picture of another one shows something else. */
  readonly hosts = new Set<string>();
  /** Every dialog so far, in order. */
  readonly dialogs: AnsweredDialog[] = [];
  /** When no node says how, a dialog is dismissed, and a page that asks whether to leave is left. */
  dialogAnswer: DialogAnswer | undefined;
  readonly patienceMs: number;
  private current: Page;
  private readonly firstPage: Page;
  private firstLostError: RecipeError | undefined;
  private readonly messages = new PageMessages();
  private readonly lostListeners = new Set<(why: RecipeError) => void>();
  private readonly secretFields: Locator[] = [];
  /** The one in front comes last. */
  private openPages: Page[] = [];
  private readonly ids = new Map<Page, string>();
  private readonly sessions = new Map<Page, Promise<CDPSession>>();
  private readonly cleanups: (() => void)[] = [];

  constructor(
    page: Page,
    readonly options: RunPagesOptions,
  ) {
    // Two that answer the same dialog would be in each other's way.
    runPagesByPage.get(page)?.stopListening();
    this.patienceMs = options.patienceMs ?? 1_000;
    this.firstPage = page;
    this.current = page;
    const context = page.context();
    const browser = context.browser();
    if (/^https?:/.test(page.url())) this.hosts.add(new URL(page.url()).host);
    for (const each of context.pages()) this.addPage(each);
    this.switchTo(page);
    context.on('page', this.addPage).on('dialog', this.onDialog).on('close', this.onContextClosed);
    browser?.on('disconnected', this.onBrowserDisconnected);
    this.cleanups.push(() => context.off('page', this.addPage).off('dialog', this.onDialog).off('close', this.onContextClosed));
  }

  /** The page that nodes look at. */
  get page(): Page {
    return this.current;
  }

  get context(): BrowserContext {
    return this.current.context();
  }

  /** The page that was opened or looked at last, which lies over the others. */
  get frontPage(): Page | undefined {
    return this.openPages.at(-1);
  }

  /** What took the page or the browser away. */
  get lostError(): RecipeError | undefined {
    return this.firstLostError;
  }

  /** Tells when the page or the browser goes away; the function it gives withdraws that. */
  onLost(tell: (why: RecipeError) => void): () => void {
    this.lostListeners.add(tell);
    return () => this.lostListeners.delete(tell);
  }

  switchTo(page: Page): void {
    this.addPage(page);
    this.current = page;
    this.openPages = [...this.openPages.filter((each) => each !== page), page];
  }

  /** The same for a page as long as it lives, and for no other page of the run. */
  idOf(page: Page): string {
    const id = this.ids.get(page) ?? `page-${this.ids.size + 1}`;
    this.ids.set(page, id);
    return id;
  }

  /** A session of the page that is looked at; Chromium only. */
  async openCdpSession(): Promise<CDPSession> {
    const page = this.current;
    const session = this.sessions.get(page) ?? page.context().newCDPSession(page);
    this.sessions.set(page, session);
    session.catch(() => this.sessions.delete(page));
    return session;
  }

  /** Keeps a field out of every picture from now on. */
  addSecretField(field: Locator): void {
    this.secretFields.push(field);
  }

  /** What no picture of this page may show: fields that were filled with a secret, and every field for a password. */
  fieldsToMask(page: Page = this.current): Locator[] {
    const passwords = page.frames().map((frame) => frame.locator(passwordSelector));
    return [...this.secretFieldsOn(page), ...passwords];
  }

  /** Of these, the fields that were filled with a secret. */
  secretFieldsOn(page: Page = this.current): Locator[] {
    return this.secretFields.filter((field) => field.page() === page);
  }

  addMessage(noticed: UnexpectedLog): void {
    this.messages.add(noticed);
  }

  /** What the pages said since the last time somebody asked. */
  takeMessages(): UnexpectedLog[] {
    return this.messages.takeAll();
  }

  /** The run is over: from now on, dialogs are for others. One who listens in place of another costs no message to the browser. */
  handOverDialogs(): void {
    const context = this.firstPage.context();
    context.prependListener('dialog', this.answerUnhandledDialog).off('dialog', this.onDialog);
    this.cleanups.push(() => context.off('dialog', this.answerUnhandledDialog));
  }

  /** Stops listening: for pages that live on after the run. */
  stopListening(): void {
    for (const withdraw of this.cleanups.splice(0)) withdraw();
    this.firstPage.context().browser()?.off('disconnected', this.onBrowserDisconnected);
    for (const page of this.ids.keys()) if (runPagesByPage.get(page) === this) runPagesByPage.delete(page);
  }

  private readonly addPage = (page: Page): void => {
    if (runPagesByPage.get(page) === this) return;
    runPagesByPage.set(page, this);
    this.idOf(page);
    this.openPages.push(page);
    const closed = (): void => {
      this.openPages = this.openPages.filter((each) => each !== page);
      // Behind a popup that is done lies the page that opened it.
      if (page === this.current && !this.firstPage.isClosed()) this.switchTo(this.firstPage);
    };
    const crashed = (): void => {
      if (page === this.current) this.setLost('ui.page_crashed', `The page ${page.url()} crashed.`);
    };
    page.on('close', closed).on('crash', crashed);
    this.cleanups.push(() => page.off('close', closed).off('crash', crashed), this.messages.listenTo(page));
  };

  // What is closed is silent, and to withdraw from it would still cost a message for most listeners.
  private readonly onContextClosed = (): void => void this.cleanups.splice(0);

  private readonly onBrowserDisconnected = (): void => this.setLost('ui.browser_gone', 'The browser went away.');

  private setLost(code: string, message: string): void {
    this.firstLostError ??= new RecipeError(
      code,
      'environment',
      `${message} Run the recipe again; a browser that dies often lacks memory.`,
    );
    for (const tell of this.lostListeners) tell(this.firstLostError);
  }

  // Of the context, not of its pages: a popup may ask something before anybody knows of it.
  private readonly onDialog = (dialog: Dialog): void => {
    const type = dialog.type();
    const how = this.dialogAnswer ?? { accept: type === 'beforeunload' };
    const answer = how.accept ? 'accepted' : 'dismissed';
    if (this.dialogs.length < maxMessages) this.dialogs.push({ type, message: dialog.message(), answer });
    this.addMessage({ level: 'info', source: 'dialog', message: `${type} ${answer}: ${dialog.message()}` });
    answerDialog(dialog, how);
  };

  // Where there are none, it does what Playwright does then.
  private readonly answerUnhandledDialog = (dialog: Dialog): void => {
    if (!hasOtherListeners(dialog, this.firstPage.context())) answerDialog(dialog, { accept: dialog.type() === 'beforeunload' });
  };
}

// The dialogs of pages: none waits for a person, and each is answered once.

/** How dialogs are answered while a node runs. */
export type DialogAnswer = { accept: boolean; text?: string };

/** A dialog that a page showed, and what it was told. */
type AnsweredDialog = { type: string; message: string; answer: 'accepted' | 'dismissed' };

function answerDialog(dialog: Dialog, { accept, text }: DialogAnswer): void {
  // A page that is closed meanwhile has no dialog any more.
  (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
}

type DialogEmitter = { listenerCount(event: 'dialog'): number };

/** For a listener that comes first: those of the context and of the page are still to be told. */
function hasOtherListeners(dialog: Dialog, context: BrowserContext): boolean {
  const [page, all] = [dialog.page(), context] as unknown as [DialogEmitter | null, DialogEmitter];
  return all.listenerCount('dialog') > 1 || (page?.listenerCount('dialog') ?? 0) > 0;
}
