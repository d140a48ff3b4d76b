// The HUD of a run: the same line on all of its pages, for the person who watches (spec §11.1).
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { RecipeError } from '../../evidence/failure.js';
import { systemClock } from '../../system/clock.js';
import type { SeenEnd, SeenNode } from '../onlooker.js';
import type { Stage } from '../stage.js';
import type { HudDisplay } from './display.js';
import { errorLine, type HudState, hudLines } from './hudLines.js';
import { HudPage } from './hudPage.js';
import { withinMs } from './withinMs.js';

export type HudOptions = {
  display: HudDisplay;
  title?: string | undefined;
  total: number;
  /** Hears when it is taken away for a picture, and when it is about to come back. */
  veiled?(isVeiled: boolean): void;
};

/** What an author wants to be shown until the next node. */
export type Annotation = {
  text?: string | undefined;
  title?: string | undefined;
  status?: HudState['status'] | undefined;
  clear?: boolean | undefined;
  display?: HudDisplay | undefined;
};

const huds = new WeakMap<Stage, Hud>();

/** The HUD that is on, if one is. */
export function hudOf(stage: Stage): Hud | undefined {
  return huds.get(stage);
}

/** Runs something, such as the taking of a picture, while no HUD is shown: no policy of a page can keep it there. */
export function withoutHud<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  const hud = huds.get(stage);
  return hud ? hud.without(work) : work();
}

/** How many times the patience with a page it may take to hide the HUD. */
const hidePatience = 3;

export class Hud {
  private readonly pages = new Map<Page, HudPage>();
  private readonly tag = `recipewright-hud-${randomBytes(6).toString('hex')}`;
  private state: HudState;
  private annotation: Annotation = {};
  private current = 0;
  private isOver = false;
  private veils = 0;

  constructor(
    private readonly stage: Stage,
    private readonly options: HudOptions,
  ) {
    huds.set(stage, this);
    this.state = { status: 'running', title: options.title, intent: '' };
    for (const page of stage.context.pages()) this.install(page);
    stage.context.on('page', this.welcome);
  }

  nodeBegins(node: SeenNode): Promise<void> {
    this.current++;
    this.annotation = {};
    return this.tell(node, { status: node.skip === undefined ? 'running' : 'skip', detail: node.detail });
  }

  nodeEnds(node: SeenNode, { failure }: SeenEnd): Promise<void> {
    if (failure) return this.tell(node, { status: 'fail', error: errorLine(failure.message) });
    if (node.skip !== undefined) return Promise.resolve();
    // An end inside of a called flow ends nothing for the person who watches.
    if (node.status !== undefined && !node.path.includes('/')) return this.tell(node, endings[node.status]);
    return this.tell(node, { status: 'pass', detail: node.detail });
  }

  annotate(annotation: Annotation): Promise<void> {
    this.annotation = annotation;
    return this.show();
  }

  async without<T>(work: () => Promise<T>): Promise<T> {
    const hideMs = hidePatience * this.stage.patienceMs;
    this.veil(1);
    try {
      if (await withinMs(systemClock, hideMs, this.show())) return await work();
      const message = `${this.stage.page.url()} did not answer within ${hideMs} ms, so that no picture without the HUD could be taken.`;
      throw new RecipeError('hud.stuck', 'action', message);
    } finally {
      this.veil(-1);
      await withinMs(systemClock, hideMs, this.show());
    }
  }

  /** Nothing of it stays on the pages. */
  async close(): Promise<void> {
    this.isOver = true;
    huds.delete(this.stage);
    this.stage.context.off('page', this.welcome);
    await Promise.all([...this.pages.values()].map((page) => page.close()));
  }

  private veil(change: 1 | -1): void {
    this.veils += change;
    this.options.veiled?.(this.veils > 0);
  }

  private tell(node: SeenNode, said: Pick<HudState, 'status'> & Partial<HudState>): Promise<void> {
    const debug = [node.path, node.action, node.phase, node.proofTarget].filter(Boolean).join(' · ');
    // At the end it is known how many there were: branches that were not taken do not count.
    const count = { current: this.current, total: said.status === 'complete' ? this.current : this.options.total };
    this.state = { count, title: this.options.title, intent: node.title, debug, ...said };
    return this.show();
  }

  private async show(): Promise<void> {
    if (this.isOver) return;
    const { text, title, status, clear, display } = this.annotation;
    const state: HudState = { ...this.state };
    if (text !== undefined) state.intent = text;
    if (title !== undefined) state.title = title;
    if (status !== undefined) state.status = status;
    const painted =
      clear || this.veils > 0 ? undefined : hudLines(state, { ...this.options.display, ...display, ...shownTitle(title) });
    // Nobody waits for pages that nobody looks at.
    for (const [page, each] of this.pages) if (page !== this.stage.page) void each.show(painted);
    await this.pages.get(this.stage.page)?.show(painted);
  }

  private install(page: Page): HudPage {
    const hudPage = new HudPage(page, { tag: this.tag, refused: (why) => this.complain(why) });
    this.pages.set(page, hudPage);
    page.once('close', () => this.pages.delete(page));
    return hudPage;
  }

  private readonly welcome = (page: Page): void => {
    this.install(page);
    void this.show();
  };

  private hasComplained = false;

  private complain(why: string): void {
    if (!this.hasComplained) this.stage.notice({ level: 'info', source: 'hud', message: `The HUD cannot be shown: ${why}` });
    this.hasComplained = true;
  }
}

const endings = {
  pass: { status: 'complete', intent: 'Recipe completed' },
  fail: { status: 'fail', intent: 'Recipe ended with a failure' },
  unknown: { status: 'unknown', intent: 'Recipe ended without an answer' },
} as const;

// Somebody who names a title wants to see it.
function shownTitle(title: string | undefined): HudDisplay {
  return title === undefined ? {} : { showTitle: true };
}
