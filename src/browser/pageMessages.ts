// Collects the messages of pages until a node ends: script errors, console errors, failed requests and notes of recipewright.
import type { ConsoleMessage, Page, Request } from '@playwright/test';
import type { UnexpectedLog } from '../evidence/issues.js';

/** Per node: a page can repeat a message without end. */
export const maxMessages = 1_000;

export class PageMessages {
  private messages: UnexpectedLog[] = [];
  private droppedCount = 0;

  /** Returns a function that stops listening. */
  listenTo(page: Page): () => void {
    page.on('console', this.onConsole).on('pageerror', this.onPageError).on('requestfailed', this.onRequestFailed);
    return () =>
      page.off('console', this.onConsole).off('pageerror', this.onPageError).off('requestfailed', this.onRequestFailed);
  }

  add(message: UnexpectedLog): void {
    if (this.messages.length < maxMessages) this.messages.push(message);
    else this.droppedCount++;
  }

  /** Returns and removes all messages. */
  takeAll(): UnexpectedLog[] {
    const messages = this.messages;
    if (this.droppedCount > 0)
      messages.push({ level: 'warning', source: 'page', message: `${this.droppedCount} more messages were not kept.` });
    this.messages = [];
    this.droppedCount = 0;
    return messages;
  }

  private readonly onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error') this.add({ level: 'error', source: 'console', message: message.text() });
  };

  private readonly onPageError = (error: Error): void => this.add({ level: 'error', source: 'page', message: error.message });

  private readonly onRequestFailed = (request: Request): void => {
    const errorText = request.failure()?.errorText ?? 'failed';
    this.add({ level: 'warning', source: 'network', message: `${request.method()} ${request.url()}: ${errorText}` });
  };
}
