// Records the videos of a run, one per proof window. `nodeEnds` returns the video for the node that closed the window.

import type { Capture } from '../../evidence/journal.js';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import type { ObservedEnd, ObservedNode } from '../nodeObserver.js';
import type { RunPages } from '../runPages.js';
import { openEncoderPage } from './encoderPage.js';
import { type EncodeResult, encodeVideo, type VideoInput } from './encodeVideo.js';
import { toFileName } from './nodeScreenshots.js';
import { opensWindow, ProofWindow } from './proofWindow.js';
import { Screencast, type ScreencastFrame, type ScreencastResult, screencastLimits, toEvenSize } from './screencast.js';

type OpenWindow = { proofWindow: ProofWindow; screencast: Screencast };

export class VideoRecorder {
  private window: OpenWindow | undefined;
  private readonly pendingVideos: Promise<VideoCapture[]>[] = [];
  /** Parallel nodes must not start and stop the screencast at the same time. */
  private queue: Promise<void> = Promise.resolve();
  private hasReportedProblem = false;
  /** Aborted when videos are no longer needed. */
  private readonly encodingAbort = new AbortController();

  constructor(private readonly runPages: RunPages) {}

  /** Returns true for a node that opens a window, and for all nodes while a window is open. */
  involves(node: ObservedNode): boolean {
    return node.skip === undefined && (this.window !== undefined || this.pendingVideos.length > 0 || opensWindow(node));
  }

  /** Closes the window before a node that does not belong to it, so that the video shows nothing of that node. */
  closeWindowBefore(node: ObservedNode): Promise<void> {
    return this.enqueue(async () => {
      if (this.window && !this.window.proofWindow.includes(node)) this.closeWindow();
    });
  }

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

  /** Pauses the video while the HUD is hidden for a screenshot. Otherwise the video would flicker. */
  setPaused(isPaused: boolean): void {
    this.window?.screencast.setPaused(isPaused);
  }

  /** Discards a window that is still open. */
  async stop(): Promise<void> {
    this.encodingAbort.abort();
    await this.window?.screencast.end();
    this.window = undefined;
  }

  // A node may have switched to another page.
  private async recordCurrentPage(): Promise<void> {
    if (!this.window || this.runPages.lostError) return;
    let problem: string | undefined;
    const starting = this.window.screencast.start(this.runPages.page).catch((thrown: Error) => {
      problem = thrown.message;
    });
    await succeedsWithin(systemClock, this.runPages.answerTimeoutMs, starting);
    if (problem !== undefined) this.reportProblem(problem);
  }

  // An interrupted run must end at once, so its video is not encoded.
  private closeWindow(isInterrupted = false): void {
    const { window } = this;
    if (!window) return;
    this.window = undefined;
    this.pendingVideos.push(this.makeVideo(window, isInterrupted ? AbortSignal.abort() : this.encodingAbort.signal));
  }

  private async makeVideo({ proofWindow, screencast }: OpenWindow, signal: AbortSignal): Promise<VideoCapture[]> {
    const recording = await screencast.end();
    const encode = (input: VideoInput): Promise<EncodeResult> =>
      encodeVideo(input, { open: (openSignal) => openEncoderPage(this.runPages, openSignal), signal });
    const { captures, problem } = await createVideoCaptures(proofWindow, recording, signal.aborted ? undefined : encode);
    if (problem !== undefined && !signal.aborted)
      this.reportProblem(`${problem}; single frames were saved instead. Run "recipewright doctor" to see what is missing`);
    return captures;
  }

  private reportProblem(problem: string): void {
    const message = `A proof window has no video: ${problem}.`;
    if (!this.hasReportedProblem) this.runPages.addMessage({ level: 'info', source: 'recording', message });
    this.hasReportedProblem = true;
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work);
    return this.queue;
  }
}

/** `nodeId`: the node that opened the window. */
type VideoCapture = Capture & { nodeId: string };

type VideoCaptureResult = { captures: VideoCapture[]; problem?: string };

const maxFrames = 30;
/** A viewer could not see a shorter video. */
const minVideoMs = 500;

/** Saves a video, or some of its frames when `encode` is undefined or fails. */
export async function createVideoCaptures(
  window: ProofWindow,
  recording: ScreencastResult,
  encode: ((input: VideoInput) => Promise<EncodeResult>) | undefined,
): Promise<VideoCaptureResult> {
  const { frames, lengthMs, wasCut } = recording;
  const [first] = frames;
  if (!first) return { captures: [] };
  if (!encode) return { captures: createFrameCaptures(window, frames) };
  const scale = Math.min(1, screencastLimits.width / first.width);
  const encoded = await encode({
    frames,
    lengthMs: Math.max(lengthMs, minVideoMs),
    width: toEvenSize(first.width * scale),
    height: toEvenSize(first.height * scale),
  });
  if ('problem' in encoded) return { captures: createFrameCaptures(window, frames), problem: encoded.problem };
  const name = windowName(window);
  const video: VideoCapture = {
    path: `videos/${toFileName(name)}.webm`,
    type: 'video',
    category: 'evidence',
    label: `Video of ${name}${wasCut ? `, its first ${screencastLimits.ms / 1_000} s` : ''}`,
    mimeType: 'video/webm',
    ...windowLinks(window),
    body: encoded.video,
  };
  return { captures: [video] };
}

function createFrameCaptures(window: ProofWindow, frames: readonly ScreencastFrame[]): VideoCapture[] {
  const count = Math.min(maxFrames, frames.length);
  return Array.from({ length: count }, (_, index) => {
    const frame = frames[count === 1 ? 0 : Math.round((index * (frames.length - 1)) / (count - 1))] as ScreencastFrame;
    return {
      path: `videos/${toFileName(windowName(window))}/frame-${String(index + 1).padStart(3, '0')}.jpg`,
      type: 'screenshot',
      category: 'evidence',
      label: `Frame ${index + 1} of ${count} of ${windowName(window)}, at ${(frame.atMs / 1_000).toFixed(1)} s`,
      mimeType: 'image/jpeg',
      ...windowLinks(window),
      body: frame.data,
    };
  });
}

function windowLinks({ nodeId, proofTarget }: ProofWindow): Pick<VideoCapture, 'nodeId' | 'proofTarget'> {
  return proofTarget === undefined ? { nodeId } : { nodeId, proofTarget };
}

function windowName({ nodeId, proofTarget }: ProofWindow): string {
  return proofTarget ?? nodeId;
}
