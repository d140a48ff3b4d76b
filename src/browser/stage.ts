// The pages of one run, as its actions share them: which one is looked at, what they said, whether they still live.
import type { BrowserContext, CDPSession, Dialog, Page } from '@playwright/test';
import type { Noticed } from '../actions/action.js';
import { RecipeError } from '../evidence/failure.js';

export type StageOptions = {
  /** Started for this run. An app that was attached to is never closed. */
  isOwn: boolean;
};

/** How the next dialogs are answered; dismissed when nobody says. */
export type DialogAnswer = { accept: boolean; text?: string };

const stages = new WeakMap<Page, Stage>();

/** The stage a page belongs to; a page that nobody put on one gets its own. */
export function stageOf(page: Page): Stage {
  return stages.get(page) ?? new Stage(page, { isOwn: true });
}

export class Stage {
  /** What has been visible on it, by the words a node names it with: only what was there can go away. */
  readonly seen = new Set<string>();
  dialogAnswer: DialogAnswer = { accept: false };
  private current: Page;
  private lostTo: RecipeError | undefined;
  private heard: Noticed[] = [];
  private readonly sessions = new Map<Page, Promise<CDPSession>>();

  constructor(
    page: Page,
    readonly options: StageOptions,
  ) {
    this.current = page;
    for (const each of page.context().pages()) this.adopt(each);
    page.context().on('page', this.adopt);
  }

  /** The page that nodes look at. */
  get page(): Page {
    return this.current;
  }

  get context(): BrowserContext {
    return this.current.context();
  }

  /** What took the page or the browser away. */
  get lost(): RecipeError | undefined {
    return this.lostTo;
  }

  lookAt(page: Page): void {
    this.current = page;
  }

  /** A session of the page that is looked at; Chromium only. */
  async cdp(): Promise<CDPSession> {
    const page = this.current;
    const session = this.sessions.get(page) ?? page.context().newCDPSession(page);
    this.sessions.set(page, session);
    return session;
  }

  notice(noticed: Noticed): void {
    this.heard.push(noticed);
  }

  /** What the pages said since the last time somebody asked. */
  hear(): Noticed[] {
    const all = this.heard;
    this.heard = [];
    return all;
  }

  private readonly adopt = (page: Page): void => {
    if (stages.get(page) === this) return;
    stages.set(page, this);
    page.on('dialog', (dialog) => void this.answer(dialog));
    page.on('console', (message) => {
      if (message.type() === 'error') this.notice({ level: 'error', source: 'console', message: message.text() });
    });
    page.on('pageerror', (error) => this.notice({ level: 'error', source: 'page', message: error.message }));
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? 'failed';
      this.notice({ level: 'warning', source: 'network', message: `${request.method()} ${request.url()}: ${why}` });
    });
    page.on('crash', () => {
      this.lostTo ??= new RecipeError('ui.page_crashed', 'environment', `The page ${page.url()} crashed.`);
    });
  };

  private async answer(dialog: Dialog): Promise<void> {
    const { accept, text } = this.dialogAnswer;
    this.notice({
      level: 'info',
      source: 'dialog',
      message: `${dialog.type()} ${accept ? 'accepted' : 'dismissed'}: ${dialog.message()}`,
    });
    // A page that is closed meanwhile has no dialog any more.
    await (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
  }
}
