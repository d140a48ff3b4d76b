// The frames of one page, wherever they live, and a way to ask each of them something.
import type { Frame } from '@playwright/test';
import { evaluateIn } from './evaluate.js';
import type { BareSession } from './session.js';

type Raw = { id: string; parentId?: string; url: string; urlFragment?: string };
type Tree = { frame: Raw; childFrames?: readonly Tree[] };
type World = { id: number; auxData?: { frameId?: string; isDefault?: boolean } };

export class Frames {
  private readonly known = new Map<string, BareFrame>();

  constructor(
    /** Of the frame that holds the others. */
    private readonly mainId: string,
    private readonly told: () => void,
  ) {
    this.frame(mainId);
  }

  get main(): BareFrame {
    return this.frame(this.mainId);
  }

  /** The main one first. */
  get all(): BareFrame[] {
    return [...this.known.values()];
  }

  async watch(session: BareSession): Promise<void> {
    session.on('Page.frameNavigated', ({ frame }: { frame: Raw }) => this.note(frame, session));
    session.on('Page.navigatedWithinDocument', ({ frameId, url }: { frameId: string; url: string }) => {
      this.frame(frameId).at = url;
    });
    session.on('Page.frameAttached', ({ frameId }: { frameId: string }) => this.frame(frameId).live(session));
    // One that moves to another process goes on there.
    session.on('Page.frameDetached', ({ frameId, reason }: { frameId: string; reason?: string }) => {
      if (reason !== 'swap') this.known.delete(frameId);
    });
    session.on('Runtime.executionContextCreated', ({ context: { id, auxData = {} } }: { context: World }) => {
      if (auxData.isDefault && auxData.frameId) this.frame(auxData.frameId).live(session, id);
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextId: id }: { executionContextId: number }) => {
      for (const frame of this.all) frame.leave(session, id);
    });
    session.on('Runtime.executionContextsCleared', () => {
      for (const frame of this.all) frame.leave(session);
    });
    await Promise.all([session.send('Page.enable'), session.send('Runtime.enable')]);
    const { frameTree } = await session.send<{ frameTree: Tree }>('Page.getFrameTree');
    this.noteAll(frameTree, session);
  }

  private noteAll({ frame, childFrames = [] }: Tree, session: BareSession): void {
    this.note(frame, session);
    for (const child of childFrames) this.noteAll(child, session);
  }

  private note({ id, url, urlFragment = '' }: Raw, session: BareSession): void {
    const frame = this.frame(id);
    frame.at = url + urlFragment;
    frame.live(session);
    this.told();
  }

  private frame(id: string): BareFrame {
    const frame = this.known.get(id) ?? new BareFrame();
    this.known.set(id, frame);
    return frame;
  }
}

export class BareFrame implements Pick<Frame, 'url'> {
  at = '';
  private session: BareSession | undefined;
  private world: number | undefined;
  private waiting: (() => void)[] = [];

  url(): string {
    return this.at;
  }

  /** Waits for a document where one is just being replaced. */
  async evaluate<T>(script: string): Promise<T> {
    while (this.world === undefined) {
      await new Promise<void>((resume) => {
        this.waiting.push(resume);
        this.session?.once('ended', resume);
      });
      if (this.world === undefined) await this.session?.send('Runtime.enable');
    }
    return evaluateIn<T>(this.session as BareSession, script, this.world);
  }

  live(session: BareSession, world?: number): void {
    if (this.session !== session) this.world = undefined;
    this.session = session;
    this.world = world ?? this.world;
    if (this.world !== undefined) for (const resume of this.waiting.splice(0)) resume();
  }

  leave(session: BareSession, world = this.world): void {
    if (this.session === session && this.world === world) this.world = undefined;
  }
}
