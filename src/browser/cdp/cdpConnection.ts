// The connection to the debugging port of an app, and its sessions, for projects without Playwright.
import { EventEmitter } from 'node:events';
import type { Client } from 'chrome-remote-interface';

type Message = { method: string; params: object; sessionId?: string };

/** Emits `disconnected`. */
export class CdpConnection extends EventEmitter {
  /** The session of the browser itself. */
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
    // Commands are sent by name, so the client needs no protocol definition.
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

/** Playwright's message, by which callers recognise a closed page. */
const closedMessage = 'Target page, context or browser has been closed';

/** A session with the browser, a page, a frame or a worker. Emits the events of the protocol by their names, and `ended`. */
export class CdpSession extends EventEmitter {
  private hasEnded = false;
  private readonly pending = new Set<(error: Error) => void>();

  constructor(
    private readonly connection: CdpConnection,
    private readonly id?: string,
  ) {
    super();
    // Every page, frame and setting adds listeners.
    this.setMaxListeners(0);
  }

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

  /** Ignores errors: for commands that only matter while the target exists. */
  async sendIfThere(method: string, params: object = {}): Promise<void> {
    await this.send(method, params).catch(() => undefined);
  }

  async detach(): Promise<void> {
    await this.connection.root.send('Target.detachFromTarget', { sessionId: this.id });
  }

  /** Rejects all pending commands. */
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
  const isClosed = /WebSocket|Session with given id not found|Target closed|not attached/.test(message);
  return new Error(`${method}: ${isClosed ? closedMessage : message}`, { cause: thrown });
}

type ExceptionDetails = { text: string; exception?: { description?: string; value?: unknown } };
type EvaluateResponse = { result: { value?: unknown }; exceptionDetails?: ExceptionDetails };

export async function evaluateInContext<T>(session: CdpSession, expression: string, contextId: number): Promise<T> {
  const params = { expression, contextId, returnByValue: true, awaitPromise: true };
  const { result, exceptionDetails } = await session.send<EvaluateResponse>('Runtime.evaluate', params);
  if (exceptionDetails) throw new Error(`evaluate: ${exceptionText(exceptionDetails)}`);
  return result.value as T;
}

/** An uncaught error of a page, with its message only: without name and stack. */
export function toUncaughtError(details: ExceptionDetails): Error {
  const [message = ''] = exceptionText(details).split(/\n\s+at /);
  return new Error(message.replace(/^(Uncaught )?\w*Error: /, ''));
}

function exceptionText({ text, exception }: ExceptionDetails): string {
  return exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
}
