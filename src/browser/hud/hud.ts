// The HUD of a run: the same line on all of its pages, for the person who watches (spec §11.1).
import { randomBytes } from 'node:crypto';
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../../evidence/recipeError.js';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { IsolatedWorld } from '../isolatedWorld.js';
import type { ObservedEnd, ObservedNode } from '../nodeObserver.js';
import type { RunPages } from '../runPages.js';
import { buildHudContent, firstErrorLine, type HudState } from './hudContent.js';
import type { HudDisplay } from './hudDisplay.js';
import { buildHud, type HudContent, hudStyle, paintHud, removeHud } from './paintHud.js';

type HudOptions = {
  display: HudDisplay;
  title?: string | undefined;
  total: number;
  /** Hears when it is taken away for a picture, and when it is about to come back. */
  onHiddenChange?(isVeiled: boolean): void;
};

/** What an author wants to be shown until the next node. */
type HudAnnotation = {
  text?: string | undefined;
  title?: string | undefined;
  status?: HudState['status'] | undefined;
  clear?: boolean | undefined;
  display?: HudDisplay | undefined;
};

const hudsByRun = new WeakMap<RunPages, Hud>();

/** The HUD that is on, if one is. */
export function hudOf(stage: RunPages): Hud | undefined {
  return hudsByRun.get(stage);
}

/** Runs something, such as the taking of a picture, while no HUD is shown: no policy of a page can keep it there. */
export function withoutHud<T>(stage: RunPages, work: () => Promise<T>): Promise<T> {
  const hud = hudsByRun.get(stage);
  return hud ? hud.runHidden(work) : work();
}

/** How many times the patience with a page it may take to hide the HUD. */
const hideTimeoutFactor = 3;

export class Hud {
  private readonly pages = new Map<Page, HudPage>();
  private readonly tag = `recipewright-hud-${randomBytes(6).toString('hex')}`;
  private state: HudState;
  private annotation: HudAnnotation = {};
  private nodeCount = 0;
  private isClosed = false;
  private hideCount = 0;

  constructor(
    private readonly stage: RunPages,
    private readonly options: HudOptions,
  ) {
    hudsByRun.set(stage, this);
    this.state = { status: 'running', title: options.title, intent: '' };
    for (const page of stage.context.pages()) this.addPage(page);
    stage.context.on('page', this.onPage);
  }

  nodeBegins(node: ObservedNode): Promise<void> {
    this.nodeCount++;
    this.annotation = {};
    return this.setNodeState(node, { status: node.skip === undefined ? 'running' : 'skip', detail: node.detail });
  }

  nodeEnds(node: ObservedNode, { failure }: ObservedEnd): Promise<void> {
    if (failure) return this.setNodeState(node, { status: 'fail', error: firstErrorLine(failure.message) });
    if (node.skip !== undefined) return Promise.resolve();
    // An end inside of a called flow ends nothing for the person who watches.
    if (node.status !== undefined && !node.path.includes('/')) return this.setNodeState(node, endStates[node.status]);
    return this.setNodeState(node, { status: 'pass', detail: node.detail });
  }

  annotate(annotation: HudAnnotation): Promise<void> {
    this.annotation = annotation;
    return this.show();
  }

  async runHidden<T>(work: () => Promise<T>): Promise<T> {
    const hideMs = hideTimeoutFactor * this.stage.patienceMs;
    this.changeHideCount(1);
    try {
      if (await succeedsWithin(systemClock, hideMs, this.show())) return await work();
      const message = `${this.stage.page.url()} did not answer within ${hideMs} ms, so that no picture without the HUD could be taken.`;
      throw new RecipeError('hud.stuck', 'action', message);
    } finally {
      this.changeHideCount(-1);
      await succeedsWithin(systemClock, hideMs, this.show());
    }
  }

  /** Nothing of it stays on the pages. */
  async close(): Promise<void> {
    this.isClosed = true;
    hudsByRun.delete(this.stage);
    this.stage.context.off('page', this.onPage);
    await Promise.all([...this.pages.values()].map((page) => page.close()));
  }

  private changeHideCount(change: 1 | -1): void {
    this.hideCount += change;
    this.options.onHiddenChange?.(this.hideCount > 0);
  }

  private setNodeState(node: ObservedNode, change: Pick<HudState, 'status'> & Partial<HudState>): Promise<void> {
    const debug = [node.path, node.action, node.phase, node.proofTarget].filter(Boolean).join(' · ');
    // At the end it is known how many there were: branches that were not taken do not count.
    const count = { current: this.nodeCount, total: change.status === 'complete' ? this.nodeCount : this.options.total };
    this.state = { count, title: this.options.title, intent: node.title, debug, ...change };
    return this.show();
  }

  private async show(): Promise<void> {
    if (this.isClosed) return;
    const { text, title, status, clear, display } = this.annotation;
    const state: HudState = { ...this.state };
    if (text !== undefined) state.intent = text;
    if (title !== undefined) state.title = title;
    if (status !== undefined) state.status = status;
    const content =
      clear || this.hideCount > 0
        ? undefined
        : buildHudContent(state, { ...this.options.display, ...display, ...titleDisplay(title) });
    // Nobody waits for pages that nobody looks at.
    for (const [page, each] of this.pages) if (page !== this.stage.page) void each.show(content);
    await this.pages.get(this.stage.page)?.show(content);
  }

  private addPage(page: Page): HudPage {
    const hudPage = new HudPage(page, { tag: this.tag, onRefused: (why) => this.reportProblem(why) });
    this.pages.set(page, hudPage);
    page.once('close', () => this.pages.delete(page));
    return hudPage;
  }

  private readonly onPage = (page: Page): void => {
    this.addPage(page);
    void this.show();
  };

  private hasReportedProblem = false;

  private reportProblem(why: string): void {
    if (!this.hasReportedProblem)
      this.stage.addMessage({ level: 'info', source: 'hud', message: `The HUD cannot be shown: ${why}` });
    this.hasReportedProblem = true;
  }
}

const endStates = {
  pass: { status: 'complete', intent: 'Recipe completed' },
  fail: { status: 'fail', intent: 'Recipe ended with a failure' },
  unknown: { status: 'unknown', intent: 'Recipe ended without an answer' },
} as const;

// Somebody who names a title wants to see it.
function titleDisplay(title: string | undefined): HudDisplay {
  return title === undefined ? {} : { showTitle: true };
}

// The HUD of one page: what it shows, and that it still does so after the page went elsewhere.

type HudPageOptions = {
  /** The name of its element. */
  tag: string;
  /** Hears, once, why it cannot be shown. */
  onRefused(why: string): void;
};

/** Undefined where there shall be none. */
type RequestedContent = HudContent | undefined;

class HudPage {
  private readonly link: IsolatedWorld;
  private requested: RequestedContent;
  /** Undefined where nobody has said anything to the page yet. */
  private lastSent: { asked: RequestedContent } | undefined;
  private painting: Promise<void> | undefined;

  constructor(
    private readonly page: Page,
    private readonly options: HudPageOptions,
  ) {
    this.link = new IsolatedWorld(page);
    page.on('domcontentloaded', this.repaint);
    page.on('framenavigated', this.repaintAfterNavigation);
  }

  /** A page that does not answer is asked once, and then for the newest only. */
  show(asked: RequestedContent): Promise<void> {
    this.requested = asked;
    this.painting ??= this.paint();
    return this.painting;
  }

  async close(): Promise<void> {
    this.page.off('domcontentloaded', this.repaint);
    this.page.off('framenavigated', this.repaintAfterNavigation);
    await this.show(undefined);
    await this.link.close();
  }

  private async paint(): Promise<void> {
    do {
      const asked = this.requested;
      // Before it is sent: a page that goes elsewhere meanwhile asks for it again.
      this.lastSent = { asked };
      await this.send(asked).catch((thrown: unknown) => this.reportRefusal(thrown));
    } while (!this.lastSent || this.lastSent.asked !== this.requested);
    this.painting = undefined;
  }

  private async send(asked: RequestedContent): Promise<void> {
    if (!asked) return this.link.call(removeHud, undefined);
    if (await this.link.call(paintHud, asked)) return;
    await this.link.call(buildHud, { tag: this.options.tag, style: hudStyle });
    await this.link.call(paintHud, asked);
  }

  // Anything else is a page that closed or went elsewhere meanwhile.
  private reportRefusal(thrown: unknown): void {
    if (thrown instanceof RecipeError) this.options.onRefused(thrown.message);
  }

  private readonly repaint = (): void => {
    this.lastSent = undefined;
    void this.show(this.requested);
  };

  private readonly repaintAfterNavigation = (frame: Frame): void => {
    if (frame === this.page.mainFrame()) this.repaint();
  };
}
