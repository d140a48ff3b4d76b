// Looks on while the nodes of a run use its pages: shows progress, takes pictures, and hands on what the pages say.
import type { Capture } from '../evidence/journal.js';
import { systemClock } from '../system/clock.js';
import type { HudDisplay } from './hud/display.js';
import { Hud } from './hud/hud.js';
import { withinMs } from './hud/withinMs.js';
import type { Onlooker, SeenEnd, SeenNode, Sighting } from './onlooker.js';
import { answers } from './recording/answers.js';
import { type Playback, pauseAfter } from './recording/pauseAfter.js';
import { Recorder } from './recording/recorder.js';
import { type Moment, takeShots } from './recording/shots.js';
import type { Stage } from './stage.js';

export type PageOnlookerOptions = {
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
  secret?: boolean | undefined;
  /** For runs with a window: a pause after each node that can be seen. */
  playback?: Playback | undefined;
  /** Ends a pause. */
  signal?: AbortSignal | undefined;
};

export type PageOnlooker = Onlooker & { close(): Promise<void> };

export function openPageOnlooker(stage: Stage, options: PageOnlookerOptions): PageOnlooker {
  return new Looking(stage, options);
}

/** How long a page that hangs may hold up the end of the run. */
const closeMs = 1_000;

/** `isSilent`: the page did not answer and is left alone. */
type InSight = { captures: Capture[]; isSilent: boolean };

class Looking implements PageOnlooker {
  private readonly hud: Hud | undefined;
  private readonly recorder: Recorder | undefined;
  private readonly nodes = new Map<string, InSight>();
  private hasToldLoss = false;
  /** The claims of which there is a picture that may be proof: a video alone may show an error page. */
  private readonly pictured = new Set<string | undefined>();

  constructor(
    private readonly stage: Stage,
    private readonly options: PageOnlookerOptions,
  ) {
    const { hud, title, total, record, video, secret } = options;
    if (record && video === 'on' && !secret) this.recorder = new Recorder(stage);
    if (hud) this.hud = new Hud(stage, { display: hud, title, total, veiled: (isVeiled) => this.recorder?.hold(isVeiled) });
  }

  nodeBegins(node: SeenNode): void | Promise<void> {
    if (this.hud || this.isFilmed(node) || this.isPictured(node)) return this.begin(node);
  }

  nodeEnds(node: SeenNode, end: SeenEnd): Sighting | Promise<Sighting> {
    const seen = this.nodes.get(node.path);
    this.nodes.delete(node.path);
    if (seen || this.isFilmed(node) || this.momentOf(node, end) || this.options.playback)
      return this.end(node, end, seen ?? { captures: [], isSilent: false });
    return this.sighting(node, []);
  }

  async close(): Promise<void> {
    await withinMs(systemClock, closeMs, Promise.all([this.hud?.close(), this.recorder?.stop()]));
  }

  private async begin(node: SeenNode): Promise<void> {
    const seen: InSight = { captures: [], isSilent: false };
    this.nodes.set(node.path, seen);
    const film = this.isFilmed(node) ? this.recorder : undefined;
    await film?.leave(node);
    await this.listen(seen, this.hud?.nodeBegins(node));
    await film?.enter(node);
    if (this.isPictured(node)) await this.shoot(node, seen, 'before');
  }

  private async end(node: SeenNode, end: SeenEnd, seen: InSight): Promise<Sighting> {
    await this.listen(seen, this.hud?.nodeEnds(node, end));
    const moment = this.momentOf(node, end);
    if (moment) await this.shoot(node, seen, moment);
    const videos = this.isFilmed(node) ? ((await this.recorder?.nodeEnds(node, end)) ?? []) : [];
    await pauseAfter(node, this.options.playback, this.options.signal);
    return this.sighting(node, [...seen.captures, ...this.weighed(videos, { node, end, seen })]);
  }

  private weighed(videos: Capture[], { node, end, seen }: { node: SeenNode; end: SeenEnd; seen: InSight }): Capture[] {
    const isOwn = end.captures > 0 && !end.failure;
    if (isOwn || seen.captures.some(({ category }) => category === 'evidence')) this.pictured.add(node.proofTarget);
    return videos.map((video) => (this.pictured.has(video.proofTarget) ? video : { ...video, category: 'diagnostic' }));
  }

  // What the HUD is told is also the question whether the page is there at all.
  private async listen(seen: InSight, painting: Promise<void> | undefined): Promise<void> {
    if (!painting || seen.isSilent || this.stage.lost) return;
    seen.isSilent = !(await withinMs(systemClock, this.stage.patienceMs, painting));
  }

  private async shoot(node: SeenNode, seen: InSight, moment: Moment): Promise<void> {
    if (this.stage.lost) return;
    if (!this.hud && !seen.isSilent) seen.isSilent = !(await answers(this.stage.page, this.stage.patienceMs));
    if (seen.isSilent) return;
    seen.captures.push(...(await takeShots(this.stage, node, { moment, hud: this.hud !== undefined })));
  }

  private isFilmed(node: SeenNode): boolean {
    return this.recorder?.concerns(node) === true;
  }

  // What takes pictures by itself needs none before.
  private isPictured(node: SeenNode): boolean {
    return this.options.record && node.record === 'proof_window' && isVisible(node) && !node.captures;
  }

  private momentOf(node: SeenNode, { failure, captures }: SeenEnd): Moment | undefined {
    // Somebody who interrupts a run does not wait for pictures.
    if (!this.options.record || failure?.kind === 'interrupted') return undefined;
    if (node.record === 'failure_only') return failure ? 'failure' : undefined;
    return node.record === 'proof_window' && isVisible(node) && captures === 0 ? 'after' : undefined;
  }

  private sighting(node: SeenNode, captures: Capture[]): Sighting {
    const { needsPage } = node;
    const unseen = node.record === 'proof_window' && isVisible(node) ? this.options.unseen : undefined;
    const sighting: Sighting = {};
    if (unseen !== undefined) this.stage.notice({ level: 'info', source: 'recipewright', message: unseen });
    const issues = this.stage.hear();
    if (issues.length > 0) sighting.issues = issues;
    if (captures.length > 0) sighting.captures = captures;
    const { lost } = this.stage;
    // Once for the node that was running; what needs no page can still clean up.
    if (lost && (needsPage || !this.hasToldLoss)) sighting.failure = lost;
    this.hasToldLoss = lost !== undefined;
    return sighting;
  }
}

function isVisible({ needsPage, opens, skip }: SeenNode): boolean {
  return (needsPage || opens) && skip === undefined;
}
