// A process of Vitest's own that may run documents one after the other, as long as each leaves it as it was.
import type { PoolOptions, PoolWorker } from 'vitest/node';
import { fieldsOf, kindOf, restAsked, stopAsked } from './poolWire.js';

/** Vitest's: starts the process, and ends it. */
export type ForkClass = new (options: PoolOptions) => PoolWorker;

export type Listener = (event: string, ...args: unknown[]) => void;

/** `poolId`: what VITEST_POOL_ID says in there. `isOwn`: for one document alone. */
export type ForkOptions = PoolOptions & { poolId: unknown; isOwn: boolean };

/** What piles up in packages that are loaded once goes away with their process. */
const documentsAtMost = 50;
/** A process that is still busy does not answer. */
const answerMs = 1_000;
const stopMs = 1_000;
/** What cannot be written to a process is told of before its end is, which says more. */
const dyingMs = 500;

export class SharedFork {
  private readonly worker: PoolWorker;
  private listener: Listener | undefined;
  private documents = 0;
  private isSpoilt: boolean;
  private isDead = false;
  /** The word that a document is over waits until it is known what the document left. */
  private held: { message: unknown; limit: NodeJS.Timeout } | undefined;
  private whenStopped = (): void => undefined;
  private dying: NodeJS.Timeout | undefined;
  private isLost = false;

  constructor(
    Fork: ForkClass,
    readonly options: ForkOptions,
  ) {
    this.worker = new Fork(options);
    this.isSpoilt = options.isOwn;
  }

  /** Vitest makes the process at once; what it promises comes later. */
  start(): void {
    this.worker.start().catch((thrown) => this.fail(thrown));
    const on = this.worker.on as (event: string, listener: (...args: unknown[]) => void) => void;
    on.call(this.worker, 'message', (message) => this.hear(message));
    on.call(this.worker, 'error', (error) => this.fail(error));
    on.call(this.worker, 'exit', (...how) => this.die(how));
  }

  use(listener: Listener): void {
    this.listener = listener;
    this.documents++;
  }

  leave(): void {
    this.listener = undefined;
  }

  get isReusable(): boolean {
    return !this.isSpoilt && !this.isDead && this.documents < documentsAtMost;
  }

  send(message: unknown): void {
    // Nobody knows what a test that was cancelled still does.
    if (kindOf(message) === 'onCancel') this.isSpoilt = true;
    if (!this.isDead) this.worker.send(message as Parameters<PoolWorker['send']>[0]);
  }

  /** As Vitest ends its own: what was set up in there is torn down first. */
  async end(): Promise<void> {
    this.isSpoilt = true;
    await new Promise<void>((resolve) => {
      this.whenStopped = resolve;
      setTimeout(resolve, stopMs).unref();
      if (this.isDead) resolve();
      else this.send(stopAsked);
    });
    await this.kill();
  }

  async kill(): Promise<void> {
    // Vitest 4 would wait for the end of one that a signal ended.
    if (!this.isDead) await this.worker.stop();
  }

  private tell(event: string, ...args: unknown[]): void {
    this.listener?.(event, ...args);
  }

  private hear(message: unknown): void {
    const kind = kindOf(message);
    if (kind === 'stopped') this.whenStopped();
    if (kind === 'onUnhandledError' || kind === 'onAsyncLeaks') this.isSpoilt = true;
    if (kind === 'rest') this.release(fieldsOf(message).isAtRest === true);
    else if (kind === 'testfileFinished') this.hold(message);
    else if (kind === 'onUnhandledError' && !this.listener) this.report(fieldsOf(message).a);
    else this.tell('message', message);
  }

  private hold(message: unknown): void {
    this.held = { message, limit: setTimeout(() => this.release(false), answerMs) };
    this.isSpoilt ||= fieldsOf(message).error !== undefined;
    if (this.isReusable) this.send(restAsked);
    else this.release(false);
  }

  private release(isAtRest: boolean): void {
    if (!this.held) return;
    const { message, limit } = this.held;
    clearTimeout(limit);
    this.held = undefined;
    this.isSpoilt ||= !isAtRest;
    this.tell('message', message);
  }

  /** What comes when a document is over still belongs to it: the process knows which was the last. */
  private report(args: unknown): void {
    const { state } = this.options.project.vitest as unknown as { state: { catchError?(...args: unknown[]): void } };
    if (Array.isArray(args)) state.catchError?.(...args);
  }

  private fail(error: unknown): void {
    this.isSpoilt = true;
    this.dying ??= setTimeout(() => this.lose('error', error), dyingMs);
  }

  /** Vitest listens for one such word: a second one would end it. */
  private lose(event: string, ...args: unknown[]): void {
    if (this.isLost) return;
    this.isLost = true;
    this.tell(event, ...args);
  }

  private die(how: unknown[]): void {
    this.isDead = true;
    clearTimeout(this.dying);
    this.whenStopped();
    // The document was over before.
    if (this.held) this.release(false);
    else this.lose('exit', ...how);
  }
}
