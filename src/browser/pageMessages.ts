// What the pages of a run say, kept until somebody asks: errors of their scripts and consoles, requests that failed, and what we say of them.
import type { ConsoleMessage, Page, Request } from '@playwright/test';
import type { UnexpectedLog } from '../evidence/issues.js';

/** Between two nodes; a page may repeat itself without end. */
export const maxMessages = 1_000;

export class PageMessages {
  private messages: UnexpectedLog[] = [];
  private droppedCount = 0;

  /** The function it gives stops listening. */
  listenTo(page: Page): () => void {
    page.on('console', this.onConsole).on('pageerror', this.onPageError).on('requestfailed', this.onRequestFailed);
    return () =>
      page.off('console', this.onConsole).off('pageerror', this.onPageError).off('requestfailed', this.onRequestFailed);
  }

  add(noticed: UnexpectedLog): void {
    if (this.messages.length < maxMessages) this.messages.push(noticed);
    else this.droppedCount++;
  }

  /** What was said since the last time somebody asked. */
  takeAll(): UnexpectedLog[] {
    const all = this.messages;
    if (this.droppedCount > 0)
      all.push({ level: 'warning', source: 'page', message: `${this.droppedCount} more messages were not kept.` });
    this.messages = [];
    this.droppedCount = 0;
    return all;
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
