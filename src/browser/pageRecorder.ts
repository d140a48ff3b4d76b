// Looks on while the nodes of a run use its pages: shows progress, takes pictures, and hands on what the pages say.
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
  /** How the HUD looks, when a person may watch: a run with a window, or one that is recorded. */
  hud?: HudDisplay | false | undefined;
  /** The title of the recipe, for a HUD that shows it. */
  title?: string | undefined;
  /** How many nodes there are. */
  total: number;
  /** Takes pictures by the policy of each node. */
  record: boolean;
  /** Why there are none, to be said of each node that would have had one. */
  unseen?: string | undefined;
  /** Videos of proof windows, where pictures are taken at all. */
  video: 'on' | 'off';
  /** The run has secrets: a video would show them being typed. */
  hasSecrets?: boolean | undefined;
  /** For runs with a window: a pause after each node that can be seen. */
  playback?: Playback | undefined;
  /** Ends a pause. */
  signal?: AbortSignal | undefined;
};

export type PageRecorder = NodeObserver & { close(): Promise<void> };

export function openPageRecorder(stage: RunPages, options: PageRecorderOptions): PageRecorder {
  return new BrowserPageRecorder(stage, options);
}

/** How long a page that hangs may hold up the end of the run. */
const closeMs = 1_000;

/** `isSilent`: the page did not answer and is left alone. */
type NodeRecording = { captures: Capture[]; isUnresponsive: boolean };

class BrowserPageRecorder implements PageRecorder {
  private readonly hud: Hud | undefined;
  private readonly videoRecorder: VideoRecorder | undefined;
  private readonly recordings = new Map<string, NodeRecording>();
  private hasReportedLoss = false;
  /** The claims of which there is a picture that may be proof: a video alone may show an error page. */
  private readonly claimsWithPicture = new Set<string | undefined>();

  constructor(
    private readonly stage: RunPages,
    private readonly options: PageRecorderOptions,
  ) {
    const { hud, title, total, record, video, hasSecrets } = options;
    if (record && video === 'on' && !hasSecrets) this.videoRecorder = new VideoRecorder(stage);
    if (hud)
      this.hud = new Hud(stage, {
        display: hud,
        title,
        total,
        onHiddenChange: (isVeiled) => this.videoRecorder?.setPaused(isVeiled),
      });
  }

  nodeBegins(node: ObservedNode): void | Promise<void> {
    if (this.hud || this.isOnVideo(node) || this.needsPictureBefore(node)) return this.begin(node);
  }

  nodeEnds(node: ObservedNode, end: ObservedEnd): Observation | Promise<Observation> {
    const seen = this.recordings.get(node.path);
    this.recordings.delete(node.path);
    if (seen || this.isOnVideo(node) || this.momentOf(node, end) || this.options.playback)
      return this.end(node, end, seen ?? { captures: [], isUnresponsive: false });
    return this.createObservation(node, []);
  }

  async close(): Promise<void> {
    await succeedsWithin(systemClock, closeMs, Promise.all([this.hud?.close(), this.videoRecorder?.stop()]));
  }

  private async begin(node: ObservedNode): Promise<void> {
    const seen: NodeRecording = { captures: [], isUnresponsive: false };
    this.recordings.set(node.path, seen);
    const film = this.isOnVideo(node) ? this.videoRecorder : undefined;
    await film?.closeWindowBefore(node);
    await this.awaitHud(seen, this.hud?.nodeBegins(node));
    await film?.openWindowFor(node);
    if (this.needsPictureBefore(node)) await this.takeScreenshots(node, seen, 'before');
  }

  private async end(node: ObservedNode, end: ObservedEnd, seen: NodeRecording): Promise<Observation> {
    await this.awaitHud(seen, this.hud?.nodeEnds(node, end));
    const moment = this.momentOf(node, end);
    if (moment) await this.takeScreenshots(node, seen, moment);
    const videos = this.isOnVideo(node) ? ((await this.videoRecorder?.nodeEnds(node, end)) ?? []) : [];
    await pauseAfterNode(node, this.options.playback, this.options.signal);
    return this.createObservation(node, [...seen.captures, ...this.categorizeVideos(videos, { node, end, seen })]);
  }

  private categorizeVideos(
    videos: Capture[],
    { node, end, seen }: { node: ObservedNode; end: ObservedEnd; seen: NodeRecording },
  ): Capture[] {
    const isOwn = end.captures > 0 && !end.failure;
    if (isOwn || seen.captures.some(({ category }) => category === 'evidence')) this.claimsWithPicture.add(node.proofTarget);
    return videos.map((video) => (this.claimsWithPicture.has(video.proofTarget) ? video : { ...video, category: 'diagnostic' }));
  }

  // What the HUD is told is also the question whether the page is there at all.
  private async awaitHud(seen: NodeRecording, painting: Promise<void> | undefined): Promise<void> {
    if (!painting || seen.isUnresponsive || this.stage.lostError) return;
    seen.isUnresponsive = !(await succeedsWithin(systemClock, this.stage.patienceMs, painting));
  }

  private async takeScreenshots(node: ObservedNode, seen: NodeRecording, moment: Moment): Promise<void> {
    if (this.stage.lostError) return;
    if (!this.hud && !seen.isUnresponsive) seen.isUnresponsive = !(await isResponsive(this.stage.page, this.stage.patienceMs));
    if (seen.isUnresponsive) return;
    seen.captures.push(...(await takeNodeScreenshots(this.stage, node, { moment, hud: this.hud !== undefined })));
  }

  private isOnVideo(node: ObservedNode): boolean {
    return this.videoRecorder?.involves(node) === true;
  }

  // What takes pictures by itself needs none before.
  private needsPictureBefore(node: ObservedNode): boolean {
    return this.options.record && node.record === 'proof_window' && isVisible(node) && !node.captures;
  }

  private momentOf(node: ObservedNode, { failure, captures }: ObservedEnd): Moment | undefined {
    // Somebody who interrupts a run does not wait for pictures.
    if (!this.options.record || failure?.kind === 'interrupted') return undefined;
    if (node.record === 'failure_only') return failure ? 'failure' : undefined;
    return node.record === 'proof_window' && isVisible(node) && captures === 0 ? 'after' : undefined;
  }

  private createObservation(node: ObservedNode, captures: Capture[]): Observation {
    const { needsPage } = node;
    const unseen = node.record === 'proof_window' && isVisible(node) ? this.options.unseen : undefined;
    const sighting: Observation = {};
    if (unseen !== undefined) this.stage.addMessage({ level: 'info', source: 'recipewright', message: unseen });
    const issues = this.stage.takeMessages();
    if (issues.length > 0) sighting.issues = issues;
    if (captures.length > 0) sighting.captures = captures;
    const { lostError } = this.stage;
    // Once for the node that was running; what needs no page can still clean up.
    if (lostError && (needsPage || !this.hasReportedLoss)) sighting.failure = lostError;
    this.hasReportedLoss = lostError !== undefined;
    return sighting;
  }
}

function isVisible({ needsPage, opens, skip }: ObservedNode): boolean {
  return (needsPage || opens) && skip === undefined;
}

// How fast a run is shown to a person: what `playback` of the workflow says.

/** As the workflow spells it. There is nobody to ask for the next step, so that `step` goes on by itself, too. */
type Playback = { mode?: 'off' | 'auto' | 'step' | undefined; slow_ms?: number | undefined };

const defaultPauseMs = 1_000;

async function pauseAfterNode(
  node: ObservedNode,
  playback: Playback | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isShown = node.needsPage && !node.opens && node.skip === undefined;
  if (!playback || playback.mode === 'off' || !isShown || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      withdraw();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const withdraw = systemClock.after(playback.slow_ms ?? defaultPauseMs, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
