// The videos of a run: one for each proof window, ready when the node has ended at which its window closed.

import { systemClock } from '../../system/clock.js';
import { withinMs } from '../hud/withinMs.js';
import type { SeenEnd, SeenNode } from '../onlooker.js';
import type { Stage } from '../stage.js';
import { openEncoderPage } from './encoderPage.js';
import { type Encoded, encodeVideo, type Reel } from './encodeVideo.js';
import { Film } from './film.js';
import { opensWindow, ProofWindow } from './proofWindow.js';
import { type VideoCapture, videoCaptures } from './videoCaptures.js';

type Open = { of: ProofWindow; film: Film };

export class Recorder {
  private window: Open | undefined;
  private readonly made: Promise<VideoCapture[]>[] = [];
  /** Nodes side by side would start and stop one film at the same time. */
  private turn: Promise<void> = Promise.resolve();
  private hasComplained = false;
  /** Aborted when nobody waits for videos any more. */
  private readonly unwanted = new AbortController();

  constructor(private readonly stage: Stage) {}

  /** Whether a node has to do with a video: one that opens a window, and all while one is open. */
  concerns(node: SeenNode): boolean {
    return node.skip === undefined && (this.window !== undefined || this.made.length > 0 || opensWindow(node));
  }

  /** Closes the window that a node which begins does not belong to: nothing of that node is seen in it. */
  leave(node: SeenNode): Promise<void> {
    return this.inTurn(async () => {
      if (this.window && !this.window.of.takes(node)) this.close();
    });
  }

  /** Opens the window that a node begins. */
  enter(node: SeenNode): Promise<void> {
    return this.inTurn(async () => {
      if (!this.window && opensWindow(node)) this.window = { of: new ProofWindow(node), film: new Film() };
      await this.follow();
    });
  }

  async nodeEnds(node: SeenNode, { final, failure, signal }: SeenEnd): Promise<VideoCapture[]> {
    const interrupt = (): void => this.unwanted.abort();
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    await this.inTurn(async () => {
      this.window?.of.nodeEnds(node);
      if (final) this.close(failure?.kind === 'interrupted');
      else await this.follow();
    });
    const videos = (await Promise.all(this.made.splice(0))).flat();
    signal?.removeEventListener('abort', interrupt);
    return videos;
  }

  /** While the HUD is away for a picture: a video would show a flicker. */
  hold(isHeld: boolean): void {
    this.window?.film.hold(isHeld);
  }

  /** A window that is open still shows nothing that anybody could be given any more. */
  async stop(): Promise<void> {
    this.unwanted.abort();
    await this.window?.film.end();
    this.window = undefined;
  }

  // Nodes may have turned to another page.
  private async follow(): Promise<void> {
    if (!this.window || this.stage.lost) return;
    let problem: string | undefined;
    const rolling = this.window.film.roll(this.stage.page).catch((thrown: Error) => {
      problem = thrown.message;
    });
    await withinMs(systemClock, this.stage.patienceMs, rolling);
    if (problem !== undefined) this.complain(problem);
  }

  // Somebody who interrupts a run does not wait for a video to be made.
  private close(isHurried = false): void {
    const { window } = this;
    if (!window) return;
    this.window = undefined;
    this.made.push(this.develop(window, isHurried ? AbortSignal.abort() : this.unwanted.signal));
  }

  private async develop({ of, film }: Open, signal: AbortSignal): Promise<VideoCapture[]> {
    const footage = await film.end();
    const encode = (reel: Reel): Promise<Encoded> =>
      encodeVideo(reel, { open: (over) => openEncoderPage(this.stage, over), signal });
    const { captures, problem } = await videoCaptures(of, footage, signal.aborted ? undefined : encode);
    if (problem !== undefined && !signal.aborted)
      this.complain(`${problem}; frames are kept in its place. Run "recipewright doctor" to see what is missing`);
    return captures;
  }

  private complain(problem: string): void {
    const message = `A proof window has no video: ${problem}.`;
    if (!this.hasComplained) this.stage.notice({ level: 'info', source: 'recording', message });
    this.hasComplained = true;
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work);
    return this.turn;
  }
}
