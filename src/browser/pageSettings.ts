// What nodes switched on, for every page of the stage and for those that open later, until it is taken back or the run ends.
import type { BrowserContext, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import { discardTrace } from './browserTrace.js';
import { openChromiumSession } from './chromiumSession.js';
import type { NetworkBlock } from './networkBlock.js';
import { closeNetworkLog } from './networkLog.js';
import type { RunPages } from './runPages.js';

type Geolocation = { latitude: number; longitude: number; accuracy?: number | undefined };

const settingsByRun = new WeakMap<RunPages, PageSettings>();

export function settingsOf(stage: RunPages): PageSettings {
  const settings = settingsByRun.get(stage) ?? new PageSettings(stage);
  settingsByRun.set(stage, settings);
  return settings;
}

/** The same if anybody has set anything. */
export function findSettings(stage: RunPages): PageSettings | undefined {
  return settingsByRun.get(stage);
}

class PageSettings {
  private readonly activeSettings = new Map<keyof Settings, unknown>();
  private readonly context: BrowserContext;
  private isOffline = false;
  private hasGeolocation = false;
  private blocks: NetworkBlock[] = [];

  constructor(private readonly stage: RunPages) {
    this.context = stage.context;
    this.context.on('page', this.onPage);
  }

  /** Sets some and leaves the others as they are. */
  async set(settings: Partial<Settings>): Promise<void> {
    const names = Object.keys(settings) as (keyof Settings)[];
    for (const name of names) this.activeSettings.set(name, settings[name]);
    await this.onEachPage((page) => this.apply(page, names));
  }

  /** Takes back what is set of these. */
  async reset(names: readonly (keyof Settings)[]): Promise<(keyof Settings)[]> {
    const set = names.filter((name) => this.activeSettings.delete(name));
    await this.onEachPage((page) => this.resetOn(page, set));
    return set;
  }

  get offline(): boolean {
    return this.isOffline;
  }

  async setOffline(offline: boolean): Promise<void> {
    this.isOffline = offline;
    await this.context.setOffline(offline);
    // A session that throttles decides for the others whether there is a network at all.
    if (this.activeSettings.has('throttle')) await this.onEachPage((page) => this.apply(page, ['throttle']));
  }

  async setGeolocation(at: Geolocation): Promise<void> {
    this.hasGeolocation = true;
    const { latitude, longitude, accuracy } = at;
    await this.context.grantPermissions(['geolocation']);
    await this.context.setGeolocation({ latitude, longitude, ...(accuracy === undefined ? {} : { accuracy }) });
  }

  async resetGeolocation(): Promise<boolean> {
    if (!this.hasGeolocation) return false;
    this.hasGeolocation = false;
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

  get blockedUrls(): readonly string[] {
    return this.blocks.map(({ url }) => url);
  }

  /** A page that is about to be looked at has everything before it loads. */
  async applyTo(page: Page): Promise<void> {
    await this.apply(page, [...this.activeSettings.keys()]);
  }

  /** Leaves the app as it was found. */
  async restore(): Promise<void> {
    this.context.off('page', this.onPage);
    settingsByRun.delete(this.stage);
    await this.unblock();
    if (this.isOffline) await this.setOffline(false);
    await this.resetGeolocation();
    await this.reset([...this.activeSettings.keys()]);
  }

  private get settingContext(): SettingContext {
    return { offline: this.isOffline, isOwn: this.stage.options.isOwn, activeSettings: this.activeSettings };
  }

  private readonly onPage = (page: Page): void => {
    // A page that is closed again at once needs none of it.
    this.applyTo(page).catch(() => undefined);
  };

  private async apply(page: Page, names: readonly (keyof Settings)[]): Promise<void> {
    for (const name of names) await applySetting(page, name, this.settingContext);
  }

  private async resetOn(page: Page, names: readonly (keyof Settings)[]): Promise<void> {
    for (const name of names) await resetSetting(page, name, this.settingContext);
  }

  private async onEachPage(work: (page: Page) => Promise<void>): Promise<void> {
    await Promise.all(this.context.pages().map((page) => (page.isClosed() ? undefined : work(page))));
  }
}

// How one page is made to appear as something else, and itself again.

export type Settings = {
  viewport: { width: number; height: number; deviceScaleFactor?: number | undefined };
  colorScheme: 'light' | 'dark' | 'no-preference';
  reducedMotion: 'reduce' | 'no-preference';
  locale: string;
  timezone: string;
  userAgent: string;
  /** How many times slower the processor is. */
  cpu: number;
  throttle: { latencyMs: number; downloadKbps?: number | undefined; uploadKbps?: number | undefined };
};

/** `wanted`: everything that is set, whichever of it is being set now. */
type SettingContext = { offline: boolean; isOwn: boolean; activeSettings: ReadonlyMap<keyof Settings, unknown> };

type Setter<V> = {
  set(page: Page, value: V, around: SettingContext): Promise<unknown>;
  reset(page: Page, around: SettingContext): Promise<unknown>;
};

async function applySetting(page: Page, name: keyof Settings, context: SettingContext): Promise<void> {
  const value = context.activeSettings.get(name);
  if (value === undefined) return;
  if (context.isOwn) await rememberInitialState(page, name);
  await (setters[name] as Setter<unknown>).set(page, value, context);
}

async function resetSetting(page: Page, name: keyof Settings, context: SettingContext): Promise<void> {
  await setters[name].reset(page, context);
}

type InitialState = Partial<{
  viewport: ReturnType<Page['viewportSize']>;
  colorScheme: 'light' | 'dark';
  reducedMotion: 'reduce' | 'no-preference';
}>;

/** A page in the background draws no frames that could be waited for. */
const pollOptions = { polling: 50, timeout: 1_000 };

/** How a page of our own looked at first: its host may have chosen it. An app that was attached to gets back what its machine says. */
const initialStates = new WeakMap<Page, InitialState>();

async function rememberInitialState(page: Page, name: keyof Settings): Promise<void> {
  const known: InitialState = initialStates.get(page) ?? {};
  initialStates.set(page, known);
  if (name === 'viewport' && known.viewport === undefined) known.viewport = page.viewportSize();
  if (name === 'colorScheme' && known.colorScheme === undefined)
    known.colorScheme = (await matchesMedia(page, '(prefers-color-scheme: dark)')) ? 'dark' : 'light';
  if (name === 'reducedMotion' && known.reducedMotion === undefined)
    known.reducedMotion = (await matchesMedia(page, '(prefers-reduced-motion: reduce)')) ? 'reduce' : 'no-preference';
}

async function matchesMedia(page: Page, query: string): Promise<boolean> {
  return page.evaluate(`matchMedia(${JSON.stringify(query)}).matches`);
}

async function sendCdp(page: Page, method: string, params: object = {}): Promise<void> {
  const session = await openChromiumSession(page);
  await session.send(method as 'Emulation.setCPUThrottlingRate', params as { rate: number });
}

const setters: { readonly [K in keyof Settings]: Setter<Settings[K]> } = {
  viewport: {
    async set(page, { width, height, deviceScaleFactor }, { isOwn }) {
      // What Playwright sets for an app that it did not start cannot be taken back; a session of our own can.
      if (isOwn) await page.setViewportSize({ width, height });
      if (isOwn && deviceScaleFactor === undefined) return;
      const metrics = { width, height, deviceScaleFactor: deviceScaleFactor ?? 0, mobile: false };
      await sendCdp(page, 'Emulation.setDeviceMetricsOverride', metrics);
      // The page may hear of it later than we do.
      if (!isOwn) await page.waitForFunction(`innerWidth === ${width}`, undefined, pollOptions).catch(() => undefined);
    },
    async reset(page, { isOwn }) {
      const size = initialStates.get(page)?.viewport;
      // Other browsers have no scale that could have been set.
      await sendCdp(page, 'Emulation.clearDeviceMetricsOverride').catch(() => undefined);
      if (isOwn && size) await page.setViewportSize(size);
    },
  },
  colorScheme: {
    set: (page, colorScheme) => page.emulateMedia({ colorScheme }),
    reset: (page) => page.emulateMedia({ colorScheme: initialStates.get(page)?.colorScheme ?? null }),
  },
  reducedMotion: {
    set: (page, reducedMotion) => page.emulateMedia({ reducedMotion }),
    reset: (page) => page.emulateMedia({ reducedMotion: initialStates.get(page)?.reducedMotion ?? null }),
  },
  locale: {
    async set(page, locale, { activeSettings }) {
      await sendCdp(page, 'Emulation.setLocaleOverride', { locale }).catch(explainFixedLocale(locale));
      await overrideUserAgent(page, activeSettings);
    },
    async reset(page, { activeSettings }) {
      await sendCdp(page, 'Emulation.setLocaleOverride');
      await overrideUserAgent(page, activeSettings);
    },
  },
  timezone: {
    set: (page, timezoneId) => sendCdp(page, 'Emulation.setTimezoneOverride', { timezoneId }),
    reset: (page) => sendCdp(page, 'Emulation.setTimezoneOverride', { timezoneId: '' }),
  },
  userAgent: {
    set: (page, _, { activeSettings }) => overrideUserAgent(page, activeSettings),
    reset: (page, { activeSettings }) => overrideUserAgent(page, activeSettings),
  },
  cpu: {
    set: (page, rate) => sendCdp(page, 'Emulation.setCPUThrottlingRate', { rate }),
    reset: (page) => sendCdp(page, 'Emulation.setCPUThrottlingRate', { rate: 1 }),
  },
  throttle: {
    set: (page, { latencyMs, downloadKbps, uploadKbps }, { offline }) =>
      sendCdp(page, 'Network.emulateNetworkConditions', {
        ...{ offline, latency: latencyMs },
        ...{ downloadThroughput: bytesPerSecond(downloadKbps), uploadThroughput: bytesPerSecond(uploadKbps) },
      }),
    // Nobody asks this session again whether there is a network, so it must not say that there is none.
    reset: (page) =>
      sendCdp(page, 'Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      }),
  },
};

// Who the browser says it is and which language it asks for are one message: the one must not take back the other.
async function overrideUserAgent(page: Page, activeSettings: SettingContext['activeSettings']): Promise<void> {
  const [name, acceptLanguage] = [activeSettings.get('userAgent'), activeSettings.get('locale')];
  const isItself = name === undefined && acceptLanguage === undefined;
  const userAgent = isItself ? '' : (name ?? (await page.evaluate('navigator.userAgent')));
  await sendCdp(page, 'Emulation.setUserAgentOverride', {
    userAgent,
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
  });
}

function bytesPerSecond(kilobits: number | undefined): number {
  return kilobits === undefined ? -1 : (kilobits * 1_000) / 8;
}

// Chromium lets one session alone decide, and Playwright's comes first.
function explainFixedLocale(locale: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof Error && thrown.message.includes('already in effect'))) throw thrown;
    const message = `The locale cannot become ${JSON.stringify(locale)}: the host has set one for the whole test. Set "locale" in its "use" block instead, or to undefined there.`;
    throw new RecipeError('cdp.locale_is_fixed', 'environment', message);
  };
}

// The end of a run for a page that lives on: what its nodes switched on is taken back.

/** An app that does not answer any more keeps what it has: there is nobody to tell. */
export async function restoreApp(stage: RunPages): Promise<void> {
  closeNetworkLog(stage);
  const ended = [findSettings(stage)?.restore(), discardTrace(stage)];
  await Promise.all(ended.map((one) => one?.catch(() => undefined)));
}
