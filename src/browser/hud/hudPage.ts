// The HUD of one page: what it shows, and that it still does so after the page went elsewhere.
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../../evidence/failure.js';
import { PageLink } from './pageLink.js';
import { buildHud, type Painted, paintHud, removeHud } from './paintHud.js';
import { hudStyle } from './style.js';

export type HudPageOptions = {
  /** The name of its element. */
  tag: string;
  /** Hears, once, why it cannot be shown. */
  refused(why: string): void;
};

/** Undefined where there shall be none. */
type Asked = Painted | undefined;

export class HudPage {
  private readonly link: PageLink;
  private asked: Asked;
  /** Undefined where nobody has said anything to the page yet. */
  private shown: { asked: Asked } | undefined;
  private painting: Promise<void> | undefined;

  constructor(
    private readonly page: Page,
    private readonly options: HudPageOptions,
  ) {
    this.link = new PageLink(page);
    page.on('domcontentloaded', this.repaint);
    page.on('framenavigated', this.repaintAfter);
  }

  /** A page that does not answer is asked once, and then for the newest only. */
  show(asked: Asked): Promise<void> {
    this.asked = asked;
    this.painting ??= this.paint();
    return this.painting;
  }

  async close(): Promise<void> {
    this.page.off('domcontentloaded', this.repaint);
    this.page.off('framenavigated', this.repaintAfter);
    await this.show(undefined);
    await this.link.close();
  }

  private async paint(): Promise<void> {
    do {
      const asked = this.asked;
      // Before it is sent: a page that goes elsewhere meanwhile asks for it again.
      this.shown = { asked };
      await this.send(asked).catch((thrown: unknown) => this.fail(thrown));
    } while (!this.shown || this.shown.asked !== this.asked);
    this.painting = undefined;
  }

  private async send(asked: Asked): Promise<void> {
    if (!asked) return this.link.call(removeHud, undefined);
    if (await this.link.call(paintHud, asked)) return;
    await this.link.call(buildHud, { tag: this.options.tag, style: hudStyle });
    await this.link.call(paintHud, asked);
  }

  // Anything else is a page that closed or went elsewhere meanwhile.
  private fail(thrown: unknown): void {
    if (thrown instanceof RecipeError) this.options.refused(thrown.message);
  }

  private readonly repaint = (): void => {
    this.shown = undefined;
    void this.show(this.asked);
  };

  private readonly repaintAfter = (frame: Frame): void => {
    if (frame === this.page.mainFrame()) this.repaint();
  };
}
