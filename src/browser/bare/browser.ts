// A running app at its debugging port, reached without Playwright: what `cdp.*` and the stage ask of one, and no more.
import { EventEmitter } from 'node:events';
import type { Browser } from '@playwright/test';
import { BareContext } from './context.js';
import type { BarePage } from './page.js';
import type { BareSession } from './session.js';
import { Wire } from './wire.js';

const connectMs = 10_000;

/** It offers the part of Playwright's interface that is used where actions run over the port alone. */
export async function connectBare(port: number): Promise<Browser> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/version`, { signal: AbortSignal.timeout(connectMs) });
  const { webSocketDebuggerUrl: url } = (await answer.json()) as { webSocketDebuggerUrl?: unknown };
  if (typeof url !== 'string') throw new Error('What listens there names no address for debugging.');
  const browser = new BareBrowser(await Wire.open(url));
  try {
    await browser.open();
  } catch (thrown) {
    await browser.close();
    throw thrown;
  }
  return browser as unknown as Browser;
}

export class BareBrowser extends EventEmitter {
  private readonly only: BareContext;
  private traced: BareSession | undefined;

  constructor(private readonly wire: Wire) {
    super();
    this.only = new BareContext(wire, this);
    wire.on('disconnected', () => this.emit('disconnected', this));
  }

  async open(): Promise<void> {
    await this.only.open();
  }

  contexts(): BareContext[] {
    return [this.only];
  }

  browserType(): { name(): string } {
    return { name: () => 'chromium' };
  }

  async startTracing({ session }: BarePage, { categories }: { categories: readonly string[] }): Promise<void> {
    await session.send('Tracing.start', { transferMode: 'ReturnAsStream', categories: categories.join(',') });
    this.traced = session;
  }

  async stopTracing(): Promise<Buffer> {
    const session = this.traced;
    if (!session) throw new Error('No trace is being recorded.');
    this.traced = undefined;
    const done = new Promise<{ stream: string }>((resolve, reject) => {
      session.once('Tracing.tracingComplete', resolve);
      session.once('ended', () => reject(new Error('Target page, context or browser has been closed')));
    });
    const [{ stream }] = await Promise.all([done, session.send('Tracing.end')]);
    return readStream(session, stream);
  }

  /** Lets go of it: the app goes on. */
  async close(): Promise<void> {
    await this.wire.close();
  }
}

type Chunk = { data: string; base64Encoded?: boolean; eof: boolean };

async function readStream(session: BareSession, handle: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const { data, base64Encoded, eof } = await session.send<Chunk>('IO.read', { handle });
    chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'utf8'));
    if (eof) break;
  }
  await session.sendIfThere('IO.close', { handle });
  return Buffer.concat(chunks);
}
