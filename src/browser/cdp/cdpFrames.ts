// The frames of one page, in all its processes, and evaluation of scripts in them.
import type { Frame } from '@playwright/test';
import { type CdpSession, evaluateInContext } from './cdpConnection.js';

type RawFrame = { id: string; parentId?: string; url: string; urlFragment?: string };
type RawFrameTree = { frame: RawFrame; childFrames?: readonly RawFrameTree[] };
type ExecutionContext = { id: number; auxData?: { frameId?: string; isDefault?: boolean } };

export class FrameList {
  private readonly framesById = new Map<string, CdpFrame>();

  constructor(
    private readonly mainId: string,
    private readonly onNavigated: () => void,
  ) {
    this.frame(mainId);
  }

  get main(): CdpFrame {
    return this.frame(this.mainId);
  }

  /** The main frame comes first. */
  get all(): CdpFrame[] {
    return [...this.framesById.values()];
  }

  async watch(session: CdpSession): Promise<void> {
    session.on('Page.frameNavigated', ({ frame }: { frame: RawFrame }) => this.updateFrame(frame, session));
    session.on('Page.navigatedWithinDocument', ({ frameId, url }: { frameId: string; url: string }) => {
      this.frame(frameId).currentUrl = url;
    });
    session.on('Page.frameAttached', ({ frameId }: { frameId: string }) => this.frame(frameId).attach(session));
    // A frame with the reason "swap" continues in another process.
    session.on('Page.frameDetached', ({ frameId, reason }: { frameId: string; reason?: string }) => {
      if (reason !== 'swap') this.framesById.delete(frameId);
    });
    session.on('Runtime.executionContextCreated', ({ context: { id, auxData = {} } }: { context: ExecutionContext }) => {
      if (auxData.isDefault && auxData.frameId) this.frame(auxData.frameId).attach(session, id);
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextId: id }: { executionContextId: number }) => {
      for (const frame of this.all) frame.clearContext(session, id);
    });
    session.on('Runtime.executionContextsCleared', () => {
      for (const frame of this.all) frame.clearContext(session);
    });
    await Promise.all([session.send('Page.enable'), session.send('Runtime.enable')]);
    const { frameTree } = await session.send<{ frameTree: RawFrameTree }>('Page.getFrameTree');
    this.updateTree(frameTree, session);
  }

  private updateTree({ frame, childFrames = [] }: RawFrameTree, session: CdpSession): void {
    this.updateFrame(frame, session);
    for (const child of childFrames) this.updateTree(child, session);
  }

  private updateFrame({ id, url, urlFragment = '' }: RawFrame, session: CdpSession): void {
    const frame = this.frame(id);
    frame.currentUrl = url + urlFragment;
    frame.attach(session);
    this.onNavigated();
  }

  private frame(id: string): CdpFrame {
    const frame = this.framesById.get(id) ?? new CdpFrame();
    this.framesById.set(id, frame);
    return frame;
  }
}

export class CdpFrame implements Pick<Frame, 'url'> {
  currentUrl = '';
  private session: CdpSession | undefined;
  private contextId: number | undefined;
  private waitingForContext: (() => void)[] = [];

  url(): string {
    return this.currentUrl;
  }

  /** During a navigation, waits for the new document. */
  async evaluate<T>(script: string): Promise<T> {
    while (this.contextId === undefined) {
      await new Promise<void>((resume) => {
        this.waitingForContext.push(resume);
        this.session?.once('ended', resume);
      });
      if (this.contextId === undefined) await this.session?.send('Runtime.enable');
    }
    return evaluateInContext<T>(this.session as CdpSession, script, this.contextId);
  }

  attach(session: CdpSession, contextId?: number): void {
    if (this.session !== session) this.contextId = undefined;
    this.session = session;
    this.contextId = contextId ?? this.contextId;
    if (this.contextId !== undefined) for (const resume of this.waitingForContext.splice(0)) resume();
  }

  clearContext(session: CdpSession, contextId = this.contextId): void {
    if (this.session === session && this.contextId === contextId) this.contextId = undefined;
  }
}
