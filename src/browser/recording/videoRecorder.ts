// The videos of a run: one for each proof window, ready when the node has ended at which its window closed.

import type { Capture } from '../../evidence/journal.js';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import type { ObservedEnd, ObservedNode } from '../nodeObserver.js';
import type { RunPages } from '../runPages.js';
import { openEncoderPage } from './encoderPage.js';
import { type EncodeResult, encodeVideo, type VideoInput } from './encodeVideo.js';
import { toFileName } from './nodeScreenshots.js';
import { opensWindow, ProofWindow } from './proofWindow.js';
import { Screencast, type ScreencastFrame, type ScreencastResult, screencastLimits } from './screencast.js';

type OpenWindow = { proofWindow: ProofWindow; screencast: Screencast };

export class VideoRecorder {
  private window: OpenWindow | undefined;
  private readonly pendingVideos: Promise<VideoCapture[]>[] = [];
  /** Nodes side by side would start and stop one film at the same time. */
  private queue: Promise<void> = Promise.resolve();
  private hasReportedProblem = false;
  /** Aborted when nobody waits for videos any more. */
  private readonly encodingAbort = new AbortController();

  constructor(private readonly stage: RunPages) {}

  /** Whether a node has to do with a video: one that opens a window, and all while one is open. */
  involves(node: ObservedNode): boolean {
    return node.skip === undefined && (this.window !== undefined || this.pendingVideos.length > 0 || opensWindow(node));
  }

  /** Closes the window that a node which begins does not belong to: nothing of that node is seen in it. */
  closeWindowBefore(node: ObservedNode): Promise<void> {
    return this.enqueue(async () => {
      if (this.window && !this.window.proofWindow.includes(node)) this.closeWindow();
    });
  }

  /** Opens the window that a node begins. */
  openWindowFor(node: ObservedNode): Promise<void> {
    return this.enqueue(async () => {
      if (!this.window && opensWindow(node)) this.window = { proofWindow: new ProofWindow(node), screencast: new Screencast() };
      await this.recordCurrentPage();
    });
  }

  async nodeEnds(node: ObservedNode, { final, failure, signal }: ObservedEnd): Promise<VideoCapture[]> {
    const interrupt = (): void => this.encodingAbort.abort();
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    await this.enqueue(async () => {
      this.window?.proofWindow.nodeEnds(node);
      if (final) this.closeWindow(failure?.kind === 'interrupted');
      else await this.recordCurrentPage();
    });
    const videos = (await Promise.all(this.pendingVideos.splice(0))).flat();
    signal?.removeEventListener('abort', interrupt);
    return videos;
  }

  /** While the HUD is away for a picture: a video would show a flicker. */
  setPaused(isHeld: boolean): void {
    this.window?.screencast.setPaused(isHeld);
  }

  /** A window that is open still shows nothing that anybody could be given any more. */
  async stop(): Promise<void> {
    this.encodingAbort.abort();
    await this.window?.screencast.end();
    this.window = undefined;
  }

  // Nodes may have turned to another page.
  private async recordCurrentPage(): Promise<void> {
    if (!this.window || this.stage.lostError) return;
    let problem: string | undefined;
    const starting = this.window.screencast.start(this.stage.page).catch((thrown: Error) => {
      problem = thrown.message;
    });
    await succeedsWithin(systemClock, this.stage.patienceMs, starting);
    if (problem !== undefined) this.reportProblem(problem);
  }

  // Somebody who interrupts a run does not wait for a video to be made.
  private closeWindow(isHurried = false): void {
    const { window } = this;
    if (!window) return;
    this.window = undefined;
    this.pendingVideos.push(this.makeVideo(window, isHurried ? AbortSignal.abort() : this.encodingAbort.signal));
  }

  private async makeVideo({ proofWindow, screencast }: OpenWindow, signal: AbortSignal): Promise<VideoCapture[]> {
    const footage = await screencast.end();
    const encode = (reel: VideoInput): Promise<EncodeResult> =>
      encodeVideo(reel, { open: (over) => openEncoderPage(this.stage, over), signal });
    const { captures, problem } = await createVideoCaptures(proofWindow, footage, signal.aborted ? undefined : encode);
    if (problem !== undefined && !signal.aborted)
      this.reportProblem(`${problem}; frames are kept in its place. Run "recipewright doctor" to see what is missing`);
    return captures;
  }

  private reportProblem(problem: string): void {
    const message = `A proof window has no video: ${problem}.`;
    if (!this.hasReportedProblem) this.stage.addMessage({ level: 'info', source: 'recording', message });
    this.hasReportedProblem = true;
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work);
    return this.queue;
  }
}

// The files that are kept of a film: a video, or some of its frames where there cannot be one.

/** The node that the window began with. */
type VideoCapture = Capture & { nodeId: string };

type VideoCaptureResult = { captures: VideoCapture[]; problem?: string };

const maxFrames = 30;
/** A shorter video is over before a person has seen it. */
const minVideoMs = 500;

/** `encode` is undefined when nobody waits for a video. */
export async function createVideoCaptures(
  window: ProofWindow,
  footage: ScreencastResult,
  encode: ((reel: VideoInput) => Promise<EncodeResult>) | undefined,
): Promise<VideoCaptureResult> {
  const { frames, lengthMs } = footage;
  const [first] = frames;
  if (!first) return { captures: [] };
  if (!encode) return { captures: createFrameCaptures(window, frames) };
  const scale = Math.min(1, screencastLimits.width / first.width);
  const size = { width: toEvenSize(first.width * scale), height: toEvenSize(first.height * scale) };
  const encoded = await encode({ frames, lengthMs: Math.max(lengthMs, minVideoMs), ...size });
  if ('problem' in encoded) return { captures: createFrameCaptures(window, frames), problem: encoded.problem };
  const label = `Video of ${windowName(window)}${footage.wasCut ? `, its first ${screencastLimits.ms / 1_000} s` : ''}`;
  const described = { type: 'video', category: 'evidence', label, mimeType: 'video/webm' };
  return {
    captures: [
      { path: `videos/${toFileName(windowName(window))}.webm`, ...described, ...windowLinks(window), body: encoded.video },
    ],
  };
}

function createFrameCaptures(window: ProofWindow, frames: readonly ScreencastFrame[]): VideoCapture[] {
  const count = Math.min(maxFrames, frames.length);
  return Array.from({ length: count }, (_, index) => {
    const picked = frames[count === 1 ? 0 : Math.round((index * (frames.length - 1)) / (count - 1))] as ScreencastFrame;
    const path = `videos/${toFileName(windowName(window))}/frame-${String(index + 1).padStart(3, '0')}.jpg`;
    const label = `Frame ${index + 1} of ${count} of ${windowName(window)}, at ${(picked.atMs / 1_000).toFixed(1)} s`;
    const described = { type: 'screenshot', category: 'evidence', label, mimeType: 'image/jpeg' };
    return { path, ...described, ...windowLinks(window), body: picked.data };
  });
}

function windowLinks({ nodeId, proofTarget }: ProofWindow): Pick<VideoCapture, 'nodeId' | 'proofTarget'> {
  return proofTarget === undefined ? { nodeId } : { nodeId, proofTarget };
}

function windowName({ nodeId, proofTarget }: ProofWindow): string {
  return proofTarget ?? nodeId;
}

function toEvenSize(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}
