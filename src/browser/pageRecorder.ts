// Records the nodes of a run on its pages: shows the HUD, takes screenshots and videos, and collects the messages of pages.
import type { Capture } from '../evidence/journal.js';
import { systemClock } from '../system/clock.js';
import { succeedsWithin } from '../system/succeedsWithin.js';
import { Hud } from './hud/hud.js';
import type { HudDisplay } from './hud/hudDisplay.js';
import { isResponsive } from './isolatedWorld.js';
import type { NodeObserver, Observation, ObservedEnd, ObservedNode } from './nodeObserver.js';
import { type Moment, takeNodeScreenshots } from './recording/nodeScreenshots.js';
import { VideoRecorder } from './recording/videoRecorder.js';
import type { RunPages } from './runPages.js';

export type PageRecorderOptions = {
  /** The look of the HUD. Without it no HUD is shown. */
  hud?: HudDisplay | false | undefined;
  /** The title of the recipe, for the HUD. */
  title?: string | undefined;
  /** The number of nodes of the recipe. */
  total: number;
  /** Whether to take screenshots by the policy of each node. */
  record: boolean;
  /** Why the run has no screenshots. Each node that should have one gets this message. */
  noScreenshotReason?: string | undefined;
  /** Videos of proof windows; only with `record`. */
  video: 'on' | 'off';
  /** Turns videos off, because they would show how a secret is typed. */
  hasSecrets?: boolean | undefined;
  /** For headed runs: a pause after each visible node. */
  playback?: Playback | undefined;
  /** Ends a pause. */
  signal?: AbortSignal | undefined;
};

export type PageRecorder = NodeObserver & { close(): Promise<void> };

export function openPageRecorder(runPages: RunPages, options: PageRecorderOptions): PageRecorder {
  return new BrowserPageRecorder(runPages, options);
}

/** How long a page that hangs may delay the end of the run. */
const closeMs = 1_000;

/** `isUnresponsive`: the page did not answer in time. The recorder then skips everything else for this node. */
type NodeRecording = { captures: Capture[]; isUnresponsive: boolean };

class BrowserPageRecorder implements PageRecorder {
  private readonly hud: Hud | undefined;
  private readonly videoRecorder: VideoRecorder | undefined;
  private readonly recordings = new Map<string, NodeRecording>();
  private hasReportedLoss = false;
  /** Claims with a screenshot that counts as evidence. A video alone does not: it may show an error page. */
  private readonly claimsWithPicture = new Set<string | undefined>();

  constructor(
    private readonly runPages: RunPages,
    private readonly options: PageRecorderOptions,
  ) {
    const { hud, title, total, record, video, hasSecrets } = options;
    if (record && video === 'on' && !hasSecrets) this.videoRecorder = new VideoRecorder(runPages);
    if (hud)
      this.hud = new Hud(runPages, {
        display: hud,
        title,
        total,
        onHiddenChange: (isHidden) => this.videoRecorder?.setPaused(isHidden),
      });
  }

  nodeBegins(node: ObservedNode): void | Promise<void> {
    if (this.hud || this.isOnVideo(node) || this.needsPictureBefore(node)) return this.begin(node);
  }

  nodeEnds(node: ObservedNode, end: ObservedEnd): Observation | Promise<Observation> {
    const recording = this.recordings.get(node.path);
    this.recordings.delete(node.path);
    if (recording || this.isOnVideo(node) || this.momentOf(node, end) || this.options.playback)
      return this.end(node, end, recording ?? { captures: [], isUnresponsive: false });
    return this.createObservation(node, []);
  }

  async close(): Promise<void> {
    await succeedsWithin(systemClock, closeMs, Promise.all([this.hud?.close(), this.videoRecorder?.stop()]));
  }

  private async begin(node: ObservedNode): Promise<void> {
    const recording: NodeRecording = { captures: [], isUnresponsive: false };
    this.recordings.set(node.path, recording);
    const videoRecorder = this.isOnVideo(node) ? this.videoRecorder : undefined;
    await videoRecorder?.closeWindowBefore(node);
    await this.awaitHud(recording, this.hud?.nodeBegins(node));
    await videoRecorder?.openWindowFor(node);
    if (this.needsPictureBefore(node)) await this.takeScreenshots(node, recording, 'before');
  }

  private async end(node: ObservedNode, end: ObservedEnd, recording: NodeRecording): Promise<Observation> {
    await this.awaitHud(recording, this.hud?.nodeEnds(node, end));
    const moment = this.momentOf(node, end);
    if (moment) await this.takeScreenshots(node, recording, moment);
    const videos = this.isOnVideo(node) ? ((await this.videoRecorder?.nodeEnds(node, end)) ?? []) : [];
    await pauseAfterNode(node, this.options.playback, this.options.signal);
    return this.createObservation(node, [...recording.captures, ...this.categorizeVideos(videos, { node, end, recording })]);
  }

  private categorizeVideos(
    videos: Capture[],
    { node, end, recording }: { node: ObservedNode; end: ObservedEnd; recording: NodeRecording },
  ): Capture[] {
    const actionTookPictures = end.captures > 0 && !end.failure;
    if (actionTookPictures || recording.captures.some(({ category }) => category === 'evidence'))
      this.claimsWithPicture.add(node.proofTarget);
    return videos.map((video) => (this.claimsWithPicture.has(video.proofTarget) ? video : { ...video, category: 'diagnostic' }));
  }

  // Painting the HUD also shows whether the page answers at all.
  private async awaitHud(recording: NodeRecording, painting: Promise<void> | undefined): Promise<void> {
    if (!painting || recording.isUnresponsive || this.runPages.lostError) return;
    recording.isUnresponsive = !(await succeedsWithin(systemClock, this.runPages.answerTimeoutMs, painting));
  }

  private async takeScreenshots(node: ObservedNode, recording: NodeRecording, moment: Moment): Promise<void> {
    if (this.runPages.lostError) return;
    if (!this.hud && !recording.isUnresponsive)
      recording.isUnresponsive = !(await isResponsive(this.runPages.page, this.runPages.answerTimeoutMs));
    if (recording.isUnresponsive) return;
    recording.captures.push(...(await takeNodeScreenshots(this.runPages, node, { moment, hud: this.hud !== undefined })));
  }

  private isOnVideo(node: ObservedNode): boolean {
    return this.videoRecorder?.involves(node) === true;
  }

  // An action that takes screenshots itself needs none before it.
  private needsPictureBefore(node: ObservedNode): boolean {
    return this.options.record && node.record === 'proof_window' && isVisible(node) && !node.captures;
  }

  private momentOf(node: ObservedNode, { failure, captures }: ObservedEnd): Moment | undefined {
    // An interrupted run must end at once.
    if (!this.options.record || failure?.kind === 'interrupted') return undefined;
    if (node.record === 'failure_only') return failure ? 'failure' : undefined;
    return node.record === 'proof_window' && isVisible(node) && captures === 0 ? 'after' : undefined;
  }

  private createObservation(node: ObservedNode, captures: Capture[]): Observation {
    const reason = node.record === 'proof_window' && isVisible(node) ? this.options.noScreenshotReason : undefined;
    if (reason !== undefined) this.runPages.addMessage({ level: 'info', source: 'recipewright', message: reason });
    const observation: Observation = {};
    const issues = this.runPages.takeMessages();
    if (issues.length > 0) observation.issues = issues;
    if (captures.length > 0) observation.captures = captures;
    const { lostError } = this.runPages;
    // Fails the running node and all later nodes that need a page. Other nodes, such as teardown commands, can still run.
    if (lostError && (node.needsPage || !this.hasReportedLoss)) observation.failure = lostError;
    this.hasReportedLoss = lostError !== undefined;
    return observation;
  }
}

function isVisible({ needsPage, opens, skip }: ObservedNode): boolean {
  return (needsPage || opens) && skip === undefined;
}

/** `playback` of the workflow. There is no prompt for the next step, so `step` works like `auto`. */
type Playback = { mode?: 'off' | 'auto' | 'step' | undefined; slow_ms?: number | undefined };

const defaultPauseMs = 1_000;

async function pauseAfterNode(
  node: ObservedNode,
  playback: Playback | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const usesPage = node.needsPage && !node.opens && node.skip === undefined;
  if (!playback || playback.mode === 'off' || !usesPage || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancelTimer = systemClock.after(playback.slow_ms ?? defaultPauseMs, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
