// What the pages of a run say, kept until somebody asks: errors of their scripts and consoles, requests that failed, and what we say of them.
import type { ConsoleMessage, Page, Request } from '@playwright/test';
import type { Noticed } from '../evidence/issueLog.js';

/** Between two nodes; a page may repeat itself without end. */
export const mostHeard = 1_000;

export class Hearing {
  private heard: Noticed[] = [];
  private unheard = 0;

  /** The function it gives stops listening. */
  listenTo(page: Page): () => void {
    page.on('console', this.hearConsole).on('pageerror', this.hearError).on('requestfailed', this.hearFailed);
    return () => page.off('console', this.hearConsole).off('pageerror', this.hearError).off('requestfailed', this.hearFailed);
  }

  notice(noticed: Noticed): void {
    if (this.heard.length < mostHeard) this.heard.push(noticed);
    else this.unheard++;
  }

  /** What was said since the last time somebody asked. */
  hear(): Noticed[] {
    const all = this.heard;
    if (this.unheard > 0) all.push({ level: 'warning', source: 'page', message: `${this.unheard} more messages were not kept.` });
    this.heard = [];
    this.unheard = 0;
    return all;
  }

  private readonly hearConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error') this.notice({ level: 'error', source: 'console', message: message.text() });
  };

  private readonly hearError = (error: Error): void => this.notice({ level: 'error', source: 'page', message: error.message });

  private readonly hearFailed = (request: Request): void => {
    const why = request.failure()?.errorText ?? 'failed';
    this.notice({ level: 'warning', source: 'network', message: `${request.method()} ${request.url()}: ${why}` });
  };
}
