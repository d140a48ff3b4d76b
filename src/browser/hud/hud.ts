// The HUD of a run: an overlay on all its pages that shows a viewer the progress (spec §11.1).
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
  /** Called before the HUD is hidden for a screenshot, and before it is shown again. */
  onHiddenChange?(isHidden: boolean): void;
};

/** An annotation of an action. The HUD shows it until the next node begins. */
type HudAnnotation = {
  text?: string | undefined;
  title?: string | undefined;
  status?: HudState['status'] | undefined;
  clear?: boolean | undefined;
  display?: HudDisplay | undefined;
};

const hudsByRun = new WeakMap<RunPages, Hud>();

export function hudOf(runPages: RunPages): Hud | undefined {
  return hudsByRun.get(runPages);
}

/** Runs `work`, such as a screenshot, while the HUD is removed from the page. */
export function withoutHud<T>(runPages: RunPages, work: () => Promise<T>): Promise<T> {
  const hud = hudsByRun.get(runPages);
  return hud ? hud.runHidden(work) : work();
}

/** Hiding the HUD may take this many times `answerTimeoutMs`. */
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
    private readonly runPages: RunPages,
    private readonly options: HudOptions,
  ) {
    hudsByRun.set(runPages, this);
    this.state = { status: 'running', title: options.title, intent: '' };
    for (const page of runPages.context.pages()) this.addPage(page);
    runPages.context.on('page', this.onPage);
  }

  nodeBegins(node: ObservedNode): Promise<void> {
    this.nodeCount++;
    this.annotation = {};
    return this.setNodeState(node, { status: node.skip === undefined ? 'running' : 'skip', detail: node.detail });
  }

  nodeEnds(node: ObservedNode, { failure }: ObservedEnd): Promise<void> {
    if (failure) return this.setNodeState(node, { status: 'fail', error: firstErrorLine(failure.message) });
    if (node.skip !== undefined) return Promise.resolve();
    // The end of a called flow is not the end of the recipe.
    if (node.status !== undefined && !node.path.includes('/')) return this.setNodeState(node, endStates[node.status]);
    return this.setNodeState(node, { status: 'pass', detail: node.detail });
  }

  annotate(annotation: HudAnnotation): Promise<void> {
    this.annotation = annotation;
    return this.show();
  }

  async runHidden<T>(work: () => Promise<T>): Promise<T> {
    const hideMs = hideTimeoutFactor * this.runPages.answerTimeoutMs;
    this.changeHideCount(1);
    try {
      if (await succeedsWithin(systemClock, hideMs, this.show())) return await work();
      const message = `${this.runPages.page.url()} did not hide the HUD within ${hideMs} ms, so no screenshot was taken. Check the page for an endless script or a long task.`;
      throw new RecipeError('hud.stuck', 'action', message);
    } finally {
      this.changeHideCount(-1);
      await succeedsWithin(systemClock, hideMs, this.show());
    }
  }

  /** Removes the HUD from all pages. */
  async close(): Promise<void> {
    this.isClosed = true;
    hudsByRun.delete(this.runPages);
    this.runPages.context.off('page', this.onPage);
    await Promise.all([...this.pages.values()].map((page) => page.close()));
  }

  private changeHideCount(change: 1 | -1): void {
    this.hideCount += change;
    this.options.onHiddenChange?.(this.hideCount > 0);
  }

  private setNodeState(node: ObservedNode, change: Pick<HudState, 'status'> & Partial<HudState>): Promise<void> {
    const debug = [node.path, node.action, node.phase, node.proofTarget].filter(Boolean).join(' · ');
    // When the recipe is complete, the total leaves out the nodes of branches that were not taken.
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
    // Background pages are updated without awaiting.
    for (const [page, hudPage] of this.pages) if (page !== this.runPages.page) void hudPage.show(content);
    await this.pages.get(this.runPages.page)?.show(content);
  }

  private addPage(page: Page): HudPage {
    const hudPage = new HudPage(page, { tag: this.tag, onRefused: (reason) => this.reportProblem(reason) });
    this.pages.set(page, hudPage);
    page.once('close', () => this.pages.delete(page));
    return hudPage;
  }

  private readonly onPage = (page: Page): void => {
    this.addPage(page);
    void this.show();
  };

  private hasReportedProblem = false;

  private reportProblem(reason: string): void {
    if (!this.hasReportedProblem)
      this.runPages.addMessage({ level: 'info', source: 'hud', message: `The HUD cannot be shown: ${reason}` });
    this.hasReportedProblem = true;
  }
}

const endStates = {
  pass: { status: 'complete', intent: 'Recipe completed' },
  fail: { status: 'fail', intent: 'Recipe ended with a failure' },
  unknown: { status: 'unknown', intent: 'Recipe ended without a verdict' },
} as const;

// An annotation with a title shows it, even when the display option hides titles.
function titleDisplay(title: string | undefined): HudDisplay {
  return title === undefined ? {} : { showTitle: true };
}

type HudPageOptions = {
  /** The tag name of the HUD element. */
  tag: string;
  /** Called when the page refuses to show the HUD. */
  onRefused(reason: string): void;
};

/** Undefined hides the HUD. */
type RequestedContent = HudContent | undefined;

/** The HUD on one page. It is painted again after each navigation. */
class HudPage {
  private readonly world: IsolatedWorld;
  private requested: RequestedContent;
  /** Undefined when nothing has been sent to the current document. */
  private lastSent: { content: RequestedContent } | undefined;
  private painting: Promise<void> | undefined;

  constructor(
    private readonly page: Page,
    private readonly options: HudPageOptions,
  ) {
    this.world = new IsolatedWorld(page);
    page.on('domcontentloaded', this.repaint);
    page.on('framenavigated', this.repaintAfterNavigation);
  }

  /** Sends one request at a time. After each, sends the latest requested content and skips older ones. */
  show(content: RequestedContent): Promise<void> {
    this.requested = content;
    this.painting ??= this.paint();
    return this.painting;
  }

  async close(): Promise<void> {
    this.page.off('domcontentloaded', this.repaint);
    this.page.off('framenavigated', this.repaintAfterNavigation);
    await this.show(undefined);
    await this.world.close();
  }

  private async paint(): Promise<void> {
    do {
      const content = this.requested;
      // Set before sending: a navigation in the meantime resets it, and the content is sent again.
      this.lastSent = { content };
      await this.send(content).catch((thrown: unknown) => this.reportRefusal(thrown));
    } while (!this.lastSent || this.lastSent.content !== this.requested);
    this.painting = undefined;
  }

  private async send(content: RequestedContent): Promise<void> {
    if (!content) return this.world.call(removeHud, undefined);
    if (await this.world.call(paintHud, content)) return;
    await this.world.call(buildHud, { tag: this.options.tag, style: hudStyle });
    await this.world.call(paintHud, content);
  }

  // Other errors mean that the page closed or navigated.
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
