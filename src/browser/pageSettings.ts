// What nodes switched on, for every page of the stage and for those that open later, until it is taken back or the run ends.
import type { BrowserContext, Page } from '@playwright/test';
import type { NetworkBlock } from './networkBlock.js';
import { type Around, resetSetting, type Settings, setSetting } from './setting.js';
import type { Stage } from './stage.js';

export type Geolocation = { latitude: number; longitude: number; accuracy?: number | undefined };

const known = new WeakMap<Stage, PageSettings>();

export function settingsOf(stage: Stage): PageSettings {
  const settings = known.get(stage) ?? new PageSettings(stage);
  known.set(stage, settings);
  return settings;
}

/** The same if anybody has set anything. */
export function settingsIfAny(stage: Stage): PageSettings | undefined {
  return known.get(stage);
}

export class PageSettings {
  private readonly wanted = new Map<keyof Settings, unknown>();
  private readonly context: BrowserContext;
  private isOffline = false;
  private isPlaced = false;
  private blocks: NetworkBlock[] = [];

  constructor(private readonly stage: Stage) {
    this.context = stage.context;
    this.context.on('page', this.follow);
  }

  /** Sets some and leaves the others as they are. */
  async set(given: Partial<Settings>): Promise<void> {
    const names = Object.keys(given) as (keyof Settings)[];
    for (const name of names) this.wanted.set(name, given[name]);
    await this.onEachPage((page) => this.apply(page, names));
  }

  /** Takes back what is set of these. */
  async reset(names: readonly (keyof Settings)[]): Promise<(keyof Settings)[]> {
    const set = names.filter((name) => this.wanted.delete(name));
    await this.onEachPage((page) => this.undo(page, set));
    return set;
  }

  get offline(): boolean {
    return this.isOffline;
  }

  async setOffline(offline: boolean): Promise<void> {
    this.isOffline = offline;
    await this.context.setOffline(offline);
    // A session that throttles decides for the others whether there is a network at all.
    if (this.wanted.has('throttle')) await this.onEachPage((page) => this.apply(page, ['throttle']));
  }

  async place(at: Geolocation): Promise<void> {
    this.isPlaced = true;
    const { latitude, longitude, accuracy } = at;
    await this.context.grantPermissions(['geolocation']);
    await this.context.setGeolocation({ latitude, longitude, ...(accuracy === undefined ? {} : { accuracy }) });
  }

  async forgetPlace(): Promise<boolean> {
    if (!this.isPlaced) return false;
    this.isPlaced = false;
    await this.context.setGeolocation(null);
    // A context of our own ends with the run, and may have been given rights by its host.
    if (!this.stage.options.isOwn) await this.context.clearPermissions();
    return true;
  }

  async block(block: NetworkBlock): Promise<void> {
    this.blocks.push(block);
    await this.context.route(block.matches, block.refuse);
  }

  /** How many requests were refused meanwhile. */
  async unblock(): Promise<number> {
    const ended = this.blocks;
    this.blocks = [];
    for (const { matches, refuse } of ended) await this.context.unroute(matches, refuse);
    return ended.reduce((sum, { refused }) => sum + refused, 0);
  }

  get blocking(): readonly string[] {
    return this.blocks.map(({ url }) => url);
  }

  /** A page that is about to be looked at has everything before it loads. */
  async applyTo(page: Page): Promise<void> {
    await this.apply(page, [...this.wanted.keys()]);
  }

  /** Leaves the app as it was found. */
  async end(): Promise<void> {
    this.context.off('page', this.follow);
    known.delete(this.stage);
    await this.unblock();
    if (this.isOffline) await this.setOffline(false);
    await this.forgetPlace();
    await this.reset([...this.wanted.keys()]);
  }

  private get around(): Around {
    return { offline: this.isOffline, isOwn: this.stage.options.isOwn, wanted: this.wanted };
  }

  private readonly follow = (page: Page): void => {
    // A page that is closed again at once needs none of it.
    this.applyTo(page).catch(() => undefined);
  };

  private async apply(page: Page, names: readonly (keyof Settings)[]): Promise<void> {
    for (const name of names) await setSetting(page, name, this.around);
  }

  private async undo(page: Page, names: readonly (keyof Settings)[]): Promise<void> {
    for (const name of names) await resetSetting(page, name, this.around);
  }

  private async onEachPage(work: (page: Page) => Promise<void>): Promise<void> {
    await Promise.all(this.context.pages().map((page) => (page.isClosed() ? undefined : work(page))));
  }
}
