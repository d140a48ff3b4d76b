// What the pages of a flow said was wrong, our own blocks not among it.
import type { ConsoleMessage } from '@playwright/test';
import type { Blocked } from './navigationGuard.js';

/** What the browser itself says about a request that did not get through. */
const ofRequests = /^(Failed to load resource|WebSocket connection to|Access to )/;
/** What a script gets that made such a request, without a word about which it was. */
const nameless = /^(Failed to fetch|Load failed|network error|A network error occurred\.?)$/;

export class PageErrors {
  readonly said: string[] = [];
  private excused = 0;

  constructor(private readonly blocked: () => readonly Blocked[]) {}

  hear(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const text = message.text();
    if (ofRequests.test(text) && this.isOurs(text, url)) return;
    this.said.push(url === '' ? text : `${text} (${url})`);
  }

  /** A rejection that nobody caught. Those that name no address are excused once for each request that we blocked. */
  hearUncaught({ message }: Error): void {
    const isNameless = nameless.test(message);
    const requests = this.blocked().filter(({ what }) => what === 'request').length;
    if (isNameless && this.excused < requests) this.excused++;
    else if (isNameless || !this.isOurs(message, '')) this.said.push(`page error: ${message}`);
  }

  private isOurs(said: string, at: string): boolean {
    return this.blocked().some(({ url }) => url === at || said.includes(url.replace(/\/$/, '')));
  }
}
