// A headless Chromium that recipewright starts and controls over a pipe. It ends when the pipe closes, so it never outlives this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { systemClock } from '../clock.js';
import { TemporaryDirectory } from '../files/temporaryDirectory.js';
import { killTree, registerTree, unregisterTree } from './killTree.js';
import { tagEnv } from './processTable.js';

type Message = {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: object;
  result?: object;
  error?: { message: string };
};

type Pending = { resolve(result: object): void; reject(error: Error): void };

/** How long the browser may take to end before it is killed. */
const closeMs = 1_000;

const flags = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--no-sandbox',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-sync',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
];

let startedCount = 0;

/** Emits each event of the protocol as `event` with its method, its parameters and its session id. */
export class PipedChromium extends EventEmitter {
  private readonly child: ChildProcess;
  private readonly scratch = new TemporaryDirectory('encoder');
  private readonly tag = `encoder-${process.pid}-${++startedCount}/browser`;
  private readonly pending = new Map<number, Pending>();
  private readonly exitPromise: Promise<void>;
  private closing: Promise<void> | undefined;
  private lastId = 0;
  private unread: Buffer[] = [];
  private endReason: string | undefined;

  constructor(private readonly program: string) {
    super();
    this.child = spawn(program, [...flags, `--user-data-dir=${this.scratch.path}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...tagEnv(this.tag) },
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (this.child.pid !== undefined) registerTree({ pid: this.child.pid, tag: this.tag });
    this.exitPromise = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.end(reason);
        resolve();
      };
      this.child.once('error', (error) => end(error.message));
      this.child.once('exit', (code, signal) => end(signal ? `ended by ${signal}` : `exit code ${code}`));
    });
    const [toBrowser, fromBrowser] = [this.child.stdio[3] as Writable, this.child.stdio[4] as Readable];
    // EPIPE, ECONNRESET: the browser has ended, and the "exit" event says why.
    toBrowser.on('error', () => undefined);
    fromBrowser.on('error', () => undefined).on('data', (chunk: Buffer) => this.read(chunk));
  }

  send(method: string, params: object, sessionId?: string): Promise<object> {
    if (this.endReason !== undefined) return Promise.reject(this.createExitError());
    const id = ++this.lastId;
    const message = JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      (this.child.stdio[3] as Writable).write(`${message}\0`);
    });
  }

  /** Ends or kills the browser and removes its files. Never rejects. */
  close(): Promise<void> {
    this.closing ??= this.endProcess();
    return this.closing;
  }

  private async endProcess(): Promise<void> {
    const { pid } = this.child;
    (this.child.stdio[3] as Writable | null)?.destroy();
    let cancelTimer = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancelTimer = systemClock.after(closeMs, resolve);
    });
    await Promise.race([this.exitPromise, timeout]);
    cancelTimer();
    if (pid !== undefined) {
      await killTree({ pid, tag: this.tag }, 0).catch(() => undefined);
      unregisterTree(pid);
    }
    (this.child.stdio[4] as Readable | null)?.destroy();
    this.scratch.remove();
  }

  private end(reason: string): void {
    this.endReason ??= reason;
    for (const { reject } of this.pending.values()) reject(this.createExitError());
    this.pending.clear();
  }

  private createExitError(): Error {
    return new Error(`${this.program} ended unexpectedly (${this.endReason})`);
  }

  // Null bytes separate messages, and a message may arrive in several chunks.
  private read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const text = Buffer.concat([...this.unread, chunk.subarray(start, end)]).toString();
      this.unread = [];
      start = end + 1;
      this.deliver(JSON.parse(text) as Message);
    }
    if (start < chunk.length) this.unread.push(chunk.subarray(start));
  }

  private deliver({ id, sessionId, method, params = {}, result = {}, error }: Message): void {
    if (id === undefined) {
      this.emit('event', method, params, sessionId);
      return;
    }
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (error) pending?.reject(new Error(error.message));
    else pending?.resolve(result);
  }
}
