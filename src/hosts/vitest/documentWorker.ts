// What Vitest's pool takes for the process of one document. The process may have run others before.
import { EventEmitter } from 'node:events';
import type { PoolOptions, PoolWorker } from 'vitest/node';
import { fieldsOf, kindOf, started, stopped } from './poolWire.js';
import type { SharedFork } from './sharedFork.js';
import type { SharedForks } from './sharedForks.js';

export class DocumentWorker implements PoolWorker {
  /** Reports and blobs are to say what they say of any other file. */
  readonly name = 'forks';
  readonly cacheFs = true;
  private readonly events = new EventEmitter();
  private fork: SharedFork | undefined;

  constructor(
    private readonly options: PoolOptions,
    private readonly forks: SharedForks,
  ) {}

  on(event: string, listener: (arg: unknown) => void): void {
    this.events.on(event, listener);
  }

  off(event: string, listener: (arg: unknown) => void): void {
    this.events.off(event, listener);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  /** Which process it is to be is told by the first message. */
  async start(): Promise<void> {}

  send(message: unknown): void {
    if (!this.fork) this.begin(message);
    else if (kindOf(message) === 'stop' && this.fork.isReusable) this.giveBack(this.fork);
    else this.fork.send(message);
  }

  private begin(message: unknown): void {
    const asked = { ...this.options, poolId: fieldsOf(message).poolId, isOwn: !canShare(message) };
    const warm = this.forks.take(asked);
    this.fork = warm ?? this.forks.make(asked);
    this.fork.use((event, ...args) => this.tell(event, args));
    if (warm) this.answer(started);
    else {
      this.fork.start();
      this.fork.send(message);
    }
  }

  private giveBack(fork: SharedFork): void {
    this.fork = undefined;
    this.forks.keep(fork);
    this.answer(stopped);
  }

  private answer(message: unknown): void {
    setImmediate(() => this.tell('message', [message]));
  }

  // An error that nobody listens for would be thrown.
  private tell(event: string, args: unknown[]): void {
    if (this.events.listenerCount(event) > 0) this.events.emit(event, ...args);
  }

  async stop(): Promise<void> {
    const { fork } = this;
    this.fork = undefined;
    fork?.leave();
    await fork?.kill();
  }
}

/** Modules have to be loaded anew for each document, and nothing may be measured or set up once per process. */
function canShare(message: unknown): boolean {
  const { type, context, traces } = fieldsOf(message);
  const { environment, config } = fieldsOf(context);
  const { isolate, coverage, inspector, detectAsyncLeaks, experimental } = fieldsOf(config);
  const { viteModuleRunner, recordDependencies } = fieldsOf(experimental);
  const isAsUsual = type === 'start' && fieldsOf(environment).name === 'node' && isolate === true && viteModuleRunner !== false;
  const isWatched = [fieldsOf(coverage).enabled, fieldsOf(inspector).enabled, fieldsOf(traces).enabled];
  return isAsUsual && ![...isWatched, detectAsyncLeaks, recordDependencies].some((given) => given === true);
}
