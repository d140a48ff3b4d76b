// One session of the protocol: with the browser, or with a page, a frame or a worker of it.
import { EventEmitter } from 'node:events';
import type { Wire } from './wire.js';

/** Playwright's words, by which a page that went away is told from one that refused. */
const closed = 'Target page, context or browser has been closed';

/** Events: those of the protocol by their names, and `ended`. */
export class BareSession extends EventEmitter {
  private hasEnded = false;
  private readonly pending = new Set<(why: Error) => void>();

  constructor(
    private readonly wire: Wire,
    private readonly id?: string,
  ) {
    super();
    // One for each setting, page and frame that listens.
    this.setMaxListeners(0);
  }

  /** What comes back is as the protocol describes it. */
  send<T = object>(method: string, params: object = {}): Promise<T> {
    if (this.hasEnded) return Promise.reject(new Error(`${method}: ${closed}`));
    return new Promise<object>((resolve, reject) => {
      this.pending.add(reject);
      this.wire
        .send(method, params, this.id)
        .then(resolve, (thrown) => reject(inWords(method, thrown)))
        .finally(() => this.pending.delete(reject));
    }) as Promise<T>;
  }

  /** For what only matters while the other side is there. */
  async sendIfThere(method: string, params: object = {}): Promise<void> {
    await this.send(method, params).catch(() => undefined);
  }

  async detach(): Promise<void> {
    await this.wire.root.send('Target.detachFromTarget', { sessionId: this.id });
  }

  /** Nobody answers any more, not even to what was asked before. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const reject of this.pending) reject(new Error(closed));
    this.pending.clear();
    this.emit('ended');
  }
}

function inWords(method: string, thrown: unknown): Error {
  const { message = String(thrown) } = thrown as Partial<Error>;
  const isGone = /WebSocket|Session with given id not found|Target closed|not attached/.test(message);
  return new Error(`${method}: ${isGone ? closed : message}`, { cause: thrown });
}
