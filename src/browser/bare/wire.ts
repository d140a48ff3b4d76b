// A connection to the debugging port of an app, for projects without Playwright.
import { EventEmitter } from 'node:events';
import type { Client } from 'chrome-remote-interface';
import { importModule } from '../../system/importModule.js';
import { BareSession } from './session.js';

type Message = { method: string; params: object; sessionId?: string };

/** Events: `disconnected`. */
export class Wire extends EventEmitter {
  /** The browser itself. */
  readonly root = new BareSession(this);
  private readonly sessions = new Map<string, BareSession>();

  private constructor(private readonly client: Client) {
    super();
    client.on('event', this.deliver);
    client.on('disconnect', () => {
      for (const session of this.sessions.values()) session.end();
      this.emit('disconnected');
    });
  }

  static async open(url: string): Promise<Wire> {
    const { default: connect } = await importModule<typeof import('chrome-remote-interface')>('chrome-remote-interface');
    // Commands are sent by name, so it need not know any.
    return new Wire(await connect({ target: url, protocol: { domains: [] } }));
  }

  send(method: string, params: object, sessionId?: string): Promise<object> {
    return this.client.send(method, params, sessionId);
  }

  session(id: string): BareSession {
    const session = this.sessions.get(id) ?? new BareSession(this, id);
    this.sessions.set(id, session);
    return session;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private readonly deliver = ({ method, params, sessionId }: Message): void => {
    if (method === 'Target.detachedFromTarget') this.drop((params as { sessionId: string }).sessionId);
    const session = sessionId === undefined ? this.root : this.sessions.get(sessionId);
    session?.emit(method, params);
  };

  private drop(id: string): void {
    this.sessions.get(id)?.end();
    this.sessions.delete(id);
  }
}
