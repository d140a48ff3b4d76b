// The pages of one run: which one is current, their messages and dialogs, and whether they are still alive.
import type { BrowserContext, CDPSession, Dialog, Locator, Page } from '@playwright/test';
import type { UnexpectedLog } from '../evidence/issues.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { SecretRange } from '../secrets/vault.js';
import { maxMessages, PageMessages } from './pageMessages.js';

/** `isOwn`: the browser was started for this run. An attached app is never closed, and Playwright has no base URL for it. */
export type RunPagesOptions = {
  isOwn: boolean;
  baseURL?: string;
  /** Finds the secrets of the run in a string. Undefined for a run without secrets. */
  secretsIn?: ((text: string) => SecretRange[]) | undefined;
  /** How long a page may take to answer before it counts as hung. Default: 1 s. */
  answerTimeoutMs?: number;
};

/** In Playwright it also matches in open shadow roots. */
export const passwordSelector = 'input[type=password i]';

const runPagesByPage = new WeakMap<Page, RunPages>();

/** A page without a run gets a `RunPages` of its own. */
export function runPagesOf(page: Page): RunPages {
  return runPagesByPage.get(page) ?? new RunPages(page, { isOwn: true });
}

export class RunPages {
  /** The descriptions of targets that the run has seen. Only the absence of these proves something. */
  readonly seenTargets = new Set<string>();
  /** The hosts that the run opened on purpose. A screenshot of any other host does not count as evidence. */
  readonly hosts = new Set<string>();
  /** Every dialog so far, in order. */
  readonly dialogs: AnsweredDialog[] = [];
  /** By default dialogs are dismissed, except "beforeunload", which is accepted so that the page can be left. */
  dialogAnswer: DialogAnswer | undefined;
  readonly answerTimeoutMs: number;
  private current: Page;
  private readonly firstPage: Page;
  private firstLostError: RecipeError | undefined;
  private readonly messages = new PageMessages();
  private readonly lostListeners = new Set<(error: RecipeError) => void>();
  private readonly secretFields: Locator[] = [];
  /** The page in front comes last. */
  private openPages: Page[] = [];
  private readonly ids = new Map<Page, string>();
  private readonly sessions = new Map<Page, Promise<CDPSession>>();
  private readonly cleanups: (() => void)[] = [];

  constructor(
    page: Page,
    readonly options: RunPagesOptions,
  ) {
    // Only one listener may answer a dialog.
    runPagesByPage.get(page)?.stopListening();
    this.answerTimeoutMs = options.answerTimeoutMs ?? 1_000;
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

  /** The page that nodes act on. */
  get page(): Page {
    return this.current;
  }

  get context(): BrowserContext {
    return this.current.context();
  }

  /** The page that was opened or switched to last. */
  get frontPage(): Page | undefined {
    return this.openPages.at(-1);
  }

  /** Set when the page crashed or the browser disconnected. */
  get lostError(): RecipeError | undefined {
    return this.firstLostError;
  }

  /** Calls the listener when the page crashes or the browser disconnects. Returns a function that removes the listener. */
  onLost(listener: (error: RecipeError) => void): () => void {
    this.lostListeners.add(listener);
    return () => this.lostListeners.delete(listener);
  }

  switchTo(page: Page): void {
    this.addPage(page);
    this.current = page;
    this.openPages = [...this.openPages.filter((each) => each !== page), page];
  }

  /** Such as `page-1`; unique within the run. */
  idOf(page: Page): string {
    const id = this.ids.get(page) ?? `page-${this.ids.size + 1}`;
    this.ids.set(page, id);
    return id;
  }

  /** A CDP session of the current page; Chromium only. */
  async openCdpSession(): Promise<CDPSession> {
    const page = this.current;
    const session = this.sessions.get(page) ?? page.context().newCDPSession(page);
    this.sessions.set(page, session);
    session.catch(() => this.sessions.delete(page));
    return session;
  }

  /** Masks a field in every screenshot from now on. */
  addSecretField(field: Locator): void {
    this.secretFields.push(field);
  }

  /** Fields that were filled with a secret, and all password fields. */
  fieldsToMask(page: Page = this.current): Locator[] {
    const passwords = page.frames().map((frame) => frame.locator(passwordSelector));
    return [...this.secretFieldsOn(page), ...passwords];
  }

  /** Fields that were filled with a secret. */
  secretFieldsOn(page: Page = this.current): Locator[] {
    return this.secretFields.filter((field) => field.page() === page);
  }

  addMessage(message: UnexpectedLog): void {
    this.messages.add(message);
  }

  /** Returns and removes all messages. */
  takeMessages(): UnexpectedLog[] {
    return this.messages.takeAll();
  }

  /** After the run, other listeners answer the dialogs. Replacing our listener instead of removing it saves a message to the browser. */
  handOverDialogs(): void {
    const context = this.firstPage.context();
    context.prependListener('dialog', this.answerUnhandledDialog).off('dialog', this.onDialog);
    this.cleanups.push(() => context.off('dialog', this.answerUnhandledDialog));
  }

  /** For pages that stay open after the run. */
  stopListening(): void {
    for (const cleanUp of this.cleanups.splice(0)) cleanUp();
    this.firstPage.context().browser()?.off('disconnected', this.onBrowserDisconnected);
    for (const page of this.ids.keys()) if (runPagesByPage.get(page) === this) runPagesByPage.delete(page);
  }

  private readonly addPage = (page: Page): void => {
    if (runPagesByPage.get(page) === this) return;
    runPagesByPage.set(page, this);
    this.idOf(page);
    this.openPages.push(page);
    const onClose = (): void => {
      this.openPages = this.openPages.filter((each) => each !== page);
      // When a popup closes, the run continues on its first page.
      if (page === this.current && !this.firstPage.isClosed()) this.switchTo(this.firstPage);
    };
    const onCrash = (): void => {
      if (page === this.current) this.setLost('ui.page_crashed', `The page ${page.url()} crashed.`);
    };
    page.on('close', onClose).on('crash', onCrash);
    this.cleanups.push(() => page.off('close', onClose).off('crash', onCrash), this.messages.listenTo(page));
  };

  // A closed context emits no more events, and removing most listeners would cost a message to the browser.
  private readonly onContextClosed = (): void => void this.cleanups.splice(0);

  private readonly onBrowserDisconnected = (): void => this.setLost('ui.browser_gone', 'The browser disconnected.');

  private setLost(code: string, message: string): void {
    this.firstLostError ??= new RecipeError(
      code,
      'environment',
      `${message} Run the recipe again. If it happens again, check the free memory.`,
    );
    for (const listener of this.lostListeners) listener(this.firstLostError);
  }

  // Listens on the context, because a popup can show a dialog before its page is known.
  private readonly onDialog = (dialog: Dialog): void => {
    const type = dialog.type();
    const dialogAnswer = this.dialogAnswer ?? { accept: type === 'beforeunload' };
    const answer = dialogAnswer.accept ? 'accepted' : 'dismissed';
    if (this.dialogs.length < maxMessages) this.dialogs.push({ type, message: dialog.message(), answer });
    this.addMessage({ level: 'info', source: 'dialog', message: `${type} ${answer}: ${dialog.message()}` });
    answerDialog(dialog, dialogAnswer);
  };

  // Without other listeners, dialogs get the answer that Playwright gives by default.
  private readonly answerUnhandledDialog = (dialog: Dialog): void => {
    if (!hasOtherListeners(dialog, this.firstPage.context())) answerDialog(dialog, { accept: dialog.type() === 'beforeunload' });
  };
}

/** How dialogs are answered while a node runs. */
export type DialogAnswer = { accept: boolean; text?: string };

type AnsweredDialog = { type: string; message: string; answer: 'accepted' | 'dismissed' };

function answerDialog(dialog: Dialog, { accept, text }: DialogAnswer): void {
  // Fails when the page is closed by now.
  (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
}

type DialogEmitter = { listenerCount(event: 'dialog'): number };

/** Must be called by the first listener of the context. Any further listener counts. */
function hasOtherListeners(dialog: Dialog, context: BrowserContext): boolean {
  const [pageEmitter, contextEmitter] = [dialog.page(), context] as unknown as [DialogEmitter | null, DialogEmitter];
  return contextEmitter.listenerCount('dialog') > 1 || (pageEmitter?.listenerCount('dialog') ?? 0) > 0;
}
