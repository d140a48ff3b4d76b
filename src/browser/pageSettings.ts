// Emulation and network settings of a run. They apply to all its pages, later ones included, until they are reset or the run
// ends.
import type { BrowserContext, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import { discardTrace } from './browserTrace.js';
import { openChromiumSession } from './chromiumSession.js';
import type { NetworkBlock } from './networkBlock.js';
import { closeNetworkLog } from './networkLog.js';
import type { RunPages } from './runPages.js';

type Geolocation = { latitude: number; longitude: number; accuracy?: number | undefined };

const settingsByRun = new WeakMap<RunPages, PageSettings>();

export function settingsOf(runPages: RunPages): PageSettings {
  const settings = settingsByRun.get(runPages) ?? new PageSettings(runPages);
  settingsByRun.set(runPages, settings);
  return settings;
}

/** Undefined when no node has set anything. */
export function findSettings(runPages: RunPages): PageSettings | undefined {
  return settingsByRun.get(runPages);
}

class PageSettings {
  private readonly activeSettings = new Map<keyof Settings, unknown>();
  private readonly context: BrowserContext;
  private isOffline = false;
  private hasGeolocation = false;
  private blocks: NetworkBlock[] = [];

  constructor(private readonly runPages: RunPages) {
    this.context = runPages.context;
    this.context.on('page', this.onPage);
  }

  /** Leaves all other settings as they are. */
  async set(settings: Partial<Settings>): Promise<void> {
    const names = Object.keys(settings) as (keyof Settings)[];
    for (const name of names) this.activeSettings.set(name, settings[name]);
    await this.onEachPage((page) => this.apply(page, names));
  }

  /** Returns the names of the settings that were active. */
  async reset(names: readonly (keyof Settings)[]): Promise<(keyof Settings)[]> {
    const activeNames = names.filter((name) => this.activeSettings.delete(name));
    await this.onEachPage((page) => this.resetOn(page, activeNames));
    return activeNames;
  }

  get offline(): boolean {
    return this.isOffline;
  }

  async setOffline(offline: boolean): Promise<void> {
    this.isOffline = offline;
    await this.context.setOffline(offline);
    // A CDP session that throttles also decides, for all sessions, whether the page is offline.
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
    // Our own context ends with the run anyway, and the host may have granted permissions that must stay.
    if (!this.runPages.options.isOwn) await this.context.clearPermissions();
    return true;
  }

  async block(block: NetworkBlock): Promise<void> {
    this.blocks.push(block);
    await this.context.route(block.matches, block.refuse);
  }

  /** Removes all blocks and returns how many requests they refused. */
  async unblock(): Promise<number> {
    const blocks = this.blocks;
    this.blocks = [];
    for (const { matches, refuse } of blocks) await this.context.unroute(matches, refuse);
    return blocks.reduce((sum, { refused }) => sum + refused, 0);
  }

  get blockedUrls(): readonly string[] {
    return this.blocks.map(({ url }) => url);
  }

  /** Call it before a new page loads. */
  async applyTo(page: Page): Promise<void> {
    await this.apply(page, [...this.activeSettings.keys()]);
  }

  /** Resets everything. */
  async restore(): Promise<void> {
    this.context.off('page', this.onPage);
    settingsByRun.delete(this.runPages);
    await this.unblock();
    if (this.isOffline) await this.setOffline(false);
    await this.resetGeolocation();
    await this.reset([...this.activeSettings.keys()]);
  }

  private get settingContext(): SettingContext {
    return { offline: this.isOffline, isOwn: this.runPages.options.isOwn, activeSettings: this.activeSettings };
  }

  private readonly onPage = (page: Page): void => {
    // The page may be closed already.
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

export type Settings = {
  viewport: { width: number; height: number; deviceScaleFactor?: number | undefined };
  colorScheme: 'light' | 'dark' | 'no-preference';
  reducedMotion: 'reduce' | 'no-preference';
  locale: string;
  timezone: string;
  userAgent: string;
  /** The factor by which the CPU is slowed down. */
  cpu: number;
  throttle: { latencyMs: number; downloadKbps?: number | undefined; uploadKbps?: number | undefined };
};

type SettingContext = { offline: boolean; isOwn: boolean; activeSettings: ReadonlyMap<keyof Settings, unknown> };

type Setter<V> = {
  set(page: Page, value: V, context: SettingContext): Promise<unknown>;
  reset(page: Page, context: SettingContext): Promise<unknown>;
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

/** Polls by time: a page in the background draws no animation frames. */
const pollOptions = { polling: 50, timeout: 1_000 };

/** The state of our own pages before the first change. A page of an attached app is reset to the defaults of its machine instead. */
const initialStates = new WeakMap<Page, InitialState>();

async function rememberInitialState(page: Page, name: keyof Settings): Promise<void> {
  const state: InitialState = initialStates.get(page) ?? {};
  initialStates.set(page, state);
  if (name === 'viewport' && state.viewport === undefined) state.viewport = page.viewportSize();
  if (name === 'colorScheme' && state.colorScheme === undefined)
    state.colorScheme = (await matchesMedia(page, '(prefers-color-scheme: dark)')) ? 'dark' : 'light';
  if (name === 'reducedMotion' && state.reducedMotion === undefined)
    state.reducedMotion = (await matchesMedia(page, '(prefers-reduced-motion: reduce)')) ? 'reduce' : 'no-preference';
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
      // In an attached app, a viewport set by Playwright cannot be reset. One set by our own CDP session can.
      if (isOwn) await page.setViewportSize({ width, height });
      if (isOwn && deviceScaleFactor === undefined) return;
      const metrics = { width, height, deviceScaleFactor: deviceScaleFactor ?? 0, mobile: false };
      await sendCdp(page, 'Emulation.setDeviceMetricsOverride', metrics);
      // The page may apply the size only after the command has returned.
      if (!isOwn) await page.waitForFunction(`innerWidth === ${width}`, undefined, pollOptions).catch(() => undefined);
    },
    async reset(page, { isOwn }) {
      const size = initialStates.get(page)?.viewport;
      // Other browsers than Chromium have no scale to reset.
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
        offline,
        latency: latencyMs,
        downloadThroughput: bytesPerSecond(downloadKbps),
        uploadThroughput: bytesPerSecond(uploadKbps),
      }),
    // Always online: this session is not updated again when the offline setting changes.
    reset: (page) =>
      sendCdp(page, 'Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      }),
  },
};

// User agent and Accept-Language are set by one CDP command, so each call must send both.
async function overrideUserAgent(page: Page, activeSettings: SettingContext['activeSettings']): Promise<void> {
  const [name, acceptLanguage] = [activeSettings.get('userAgent'), activeSettings.get('locale')];
  const isDefault = name === undefined && acceptLanguage === undefined;
  const userAgent = isDefault ? '' : (name ?? (await page.evaluate('navigator.userAgent')));
  await sendCdp(page, 'Emulation.setUserAgentOverride', {
    userAgent,
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
  });
}

function bytesPerSecond(kilobits: number | undefined): number {
  return kilobits === undefined ? -1 : (kilobits * 1_000) / 8;
}

// Chromium accepts a locale from one CDP session only, and Playwright's session comes first.
function explainFixedLocale(locale: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof Error && thrown.message.includes('already in effect'))) throw thrown;
    const message = `The locale cannot be set to ${JSON.stringify(locale)}, because Playwright has already set one for the whole test. Change "locale" in the "use" block of its config, or set it to undefined there.`;
    throw new RecipeError('cdp.locale_is_fixed', 'environment', message);
  };
}

/** Resets everything that the nodes of a run set, because the app keeps running. Ignores errors of a dead app. */
export async function restoreApp(runPages: RunPages): Promise<void> {
  closeNetworkLog(runPages);
  await Promise.all([
    findSettings(runPages)
      ?.restore()
      .catch(() => undefined),
    discardTrace(runPages).catch(() => undefined),
  ]);
}
