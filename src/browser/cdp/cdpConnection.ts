// A connection to the debugging port of an app, for projects without Playwright.
import { EventEmitter } from 'node:events';
import type { Client } from 'chrome-remote-interface';

type Message = { method: string; params: object; sessionId?: string };

/** Events: `disconnected`. */
export class CdpConnection extends EventEmitter {
  /** The browser itself. */
  readonly root = new CdpSession(this);
  private readonly sessions = new Map<string, CdpSession>();

  private constructor(private readonly client: Client) {
    super();
    client.on('event', this.onEvent);
    client.on('disconnect', () => {
      for (const session of this.sessions.values()) session.end();
      this.emit('disconnected');
    });
  }

  static async open(url: string): Promise<CdpConnection> {
    const { default: connect } = await import('chrome-remote-interface');
    // Commands are sent by name, so it need not know any.
    return new CdpConnection(await connect({ target: url, protocol: { domains: [] } }));
  }

  send(method: string, params: object, sessionId?: string): Promise<object> {
    return this.client.send(method, params, sessionId);
  }

  session(id: string): CdpSession {
    const session = this.sessions.get(id) ?? new CdpSession(this, id);
    this.sessions.set(id, session);
    return session;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private readonly onEvent = ({ method, params, sessionId }: Message): void => {
    if (method === 'Target.detachedFromTarget') this.removeSession((params as { sessionId: string }).sessionId);
    const session = sessionId === undefined ? this.root : this.sessions.get(sessionId);
    session?.emit(method, params);
  };

  private removeSession(id: string): void {
    this.sessions.get(id)?.end();
    this.sessions.delete(id);
  }
}

// One session of the protocol: with the browser, or with a page, a frame or a worker of it.

/** Playwright's words, by which a page that went away is told from one that refused. */
const closedMessage = 'Target page, context or browser has been closed';

/** Events: those of the protocol by their names, and `ended`. */
export class CdpSession extends EventEmitter {
  private hasEnded = false;
  private readonly pending = new Set<(why: Error) => void>();

  constructor(
    private readonly connection: CdpConnection,
    private readonly id?: string,
  ) {
    super();
    // One for each setting, page and frame that listens.
    this.setMaxListeners(0);
  }

  /** What comes back is as the protocol describes it. */
  send<T = object>(method: string, params: object = {}): Promise<T> {
    if (this.hasEnded) return Promise.reject(new Error(`${method}: ${closedMessage}`));
    return new Promise<object>((resolve, reject) => {
      this.pending.add(reject);
      this.connection
        .send(method, params, this.id)
        .then(resolve, (thrown) => reject(toCdpError(method, thrown)))
        .finally(() => this.pending.delete(reject));
    }) as Promise<T>;
  }

  /** For what only matters while the other side is there. */
  async sendIfThere(method: string, params: object = {}): Promise<void> {
    await this.send(method, params).catch(() => undefined);
  }

  async detach(): Promise<void> {
    await this.connection.root.send('Target.detachFromTarget', { sessionId: this.id });
  }

  /** Nobody answers any more, not even to what was asked before. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const reject of this.pending) reject(new Error(closedMessage));
    this.pending.clear();
    this.emit('ended');
  }
}

function toCdpError(method: string, thrown: unknown): Error {
  const { message = String(thrown) } = thrown as Partial<Error>;
  const isGone = /WebSocket|Session with given id not found|Target closed|not attached/.test(message);
  return new Error(`${method}: ${isGone ? closedMessage : message}`, { cause: thrown });
}

// Scripts in a page, and what they throw as errors of ours.

type ExceptionDetails = { text: string; exception?: { description?: string; value?: unknown } };
type EvaluateResponse = { result: { value?: unknown }; exceptionDetails?: ExceptionDetails };

export async function evaluateInContext<T>(session: CdpSession, expression: string, contextId: number): Promise<T> {
  const params = { expression, contextId, returnByValue: true, awaitPromise: true };
  const { result, exceptionDetails } = await session.send<EvaluateResponse>('Runtime.evaluate', params);
  if (exceptionDetails) throw new Error(`evaluate: ${exceptionText(exceptionDetails)}`);
  return result.value as T;
}

/** What a page threw and nobody caught: its message without its name and stack. */
export function toUncaughtError(thrown: ExceptionDetails): Error {
  const [message = ''] = exceptionText(thrown).split(/\n\s+at /);
  return new Error(message.replace(/^(Uncaught )?\w*Error: /, ''));
}

function exceptionText({ text, exception }: ExceptionDetails): string {
  return exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
}
