// The dialogs of pages: none waits for a person, and each is answered once.
import type { BrowserContext, Dialog } from '@playwright/test';

/** How dialogs are answered while a node runs. */
export type DialogAnswer = { accept: boolean; text?: string };

/** A dialog that a page showed, and what it was told. */
export type Answered = { type: string; message: string; answer: 'accepted' | 'dismissed' };

export function reply(dialog: Dialog, { accept, text }: DialogAnswer): void {
  // A page that is closed meanwhile has no dialog any more.
  (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
}

type Heard = { listenerCount(event: 'dialog'): number };

/** For a listener that comes first: those of the context and of the page are still to be told. */
export function hasOthers(dialog: Dialog, context: BrowserContext): boolean {
  const [page, all] = [dialog.page(), context] as unknown as [Heard | null, Heard];
  return all.listenerCount('dialog') > 1 || (page?.listenerCount('dialog') ?? 0) > 0;
}
