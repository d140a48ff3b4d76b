// How one page is made to appear as something else, and itself again.
import type { Page } from '@playwright/test';
import { RecipeError } from '../evidence/failure.js';
import { sessionOf } from './pageSession.js';

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
export type Around = { offline: boolean; isOwn: boolean; wanted: ReadonlyMap<keyof Settings, unknown> };

type Setter<V> = {
  set(page: Page, value: V, around: Around): Promise<unknown>;
  reset(page: Page, around: Around): Promise<unknown>;
};

export async function setSetting(page: Page, name: keyof Settings, around: Around): Promise<void> {
  const value = around.wanted.get(name);
  if (value === undefined) return;
  if (around.isOwn) await remember(page, name);
  await (setters[name] as Setter<unknown>).set(page, value, around);
}

export async function resetSetting(page: Page, name: keyof Settings, around: Around): Promise<void> {
  await setters[name].reset(page, around);
}

type Before = Partial<{
  viewport: ReturnType<Page['viewportSize']>;
  colorScheme: 'light' | 'dark';
  reducedMotion: 'reduce' | 'no-preference';
}>;

/** A page in the background draws no frames that could be waited for. */
const settling = { polling: 50, timeout: 1_000 };

/** How a page of our own looked at first: its host may have chosen it. An app that was attached to gets back what its machine says. */
const before = new WeakMap<Page, Before>();

async function remember(page: Page, name: keyof Settings): Promise<void> {
  const known: Before = before.get(page) ?? {};
  before.set(page, known);
  if (name === 'viewport' && known.viewport === undefined) known.viewport = page.viewportSize();
  if (name === 'colorScheme' && known.colorScheme === undefined)
    known.colorScheme = (await matches(page, '(prefers-color-scheme: dark)')) ? 'dark' : 'light';
  if (name === 'reducedMotion' && known.reducedMotion === undefined)
    known.reducedMotion = (await matches(page, '(prefers-reduced-motion: reduce)')) ? 'reduce' : 'no-preference';
}

async function matches(page: Page, query: string): Promise<boolean> {
  return page.evaluate(`matchMedia(${JSON.stringify(query)}).matches`);
}

async function send(page: Page, method: string, params: object = {}): Promise<void> {
  const session = await sessionOf(page);
  await session.send(method as 'Emulation.setCPUThrottlingRate', params as { rate: number });
}

const setters: { readonly [K in keyof Settings]: Setter<Settings[K]> } = {
  viewport: {
    async set(page, { width, height, deviceScaleFactor }, { isOwn }) {
      // What Playwright sets for an app that it did not start cannot be taken back; a session of our own can.
      if (isOwn) await page.setViewportSize({ width, height });
      if (isOwn && deviceScaleFactor === undefined) return;
      const metrics = { width, height, deviceScaleFactor: deviceScaleFactor ?? 0, mobile: false };
      await send(page, 'Emulation.setDeviceMetricsOverride', metrics);
      // The page may hear of it later than we do.
      if (!isOwn) await page.waitForFunction(`innerWidth === ${width}`, undefined, settling).catch(() => undefined);
    },
    async reset(page, { isOwn }) {
      const size = before.get(page)?.viewport;
      // Other browsers have no scale that could have been set.
      await send(page, 'Emulation.clearDeviceMetricsOverride').catch(() => undefined);
      if (isOwn && size) await page.setViewportSize(size);
    },
  },
  colorScheme: {
    set: (page, colorScheme) => page.emulateMedia({ colorScheme }),
    reset: (page) => page.emulateMedia({ colorScheme: before.get(page)?.colorScheme ?? null }),
  },
  reducedMotion: {
    set: (page, reducedMotion) => page.emulateMedia({ reducedMotion }),
    reset: (page) => page.emulateMedia({ reducedMotion: before.get(page)?.reducedMotion ?? null }),
  },
  locale: {
    async set(page, locale, { wanted }) {
      await send(page, 'Emulation.setLocaleOverride', { locale }).catch(fixedByHost(locale));
      await introduce(page, wanted);
    },
    async reset(page, { wanted }) {
      await send(page, 'Emulation.setLocaleOverride');
      await introduce(page, wanted);
    },
  },
  timezone: {
    set: (page, timezoneId) => send(page, 'Emulation.setTimezoneOverride', { timezoneId }),
    reset: (page) => send(page, 'Emulation.setTimezoneOverride', { timezoneId: '' }),
  },
  userAgent: {
    set: (page, _, { wanted }) => introduce(page, wanted),
    reset: (page, { wanted }) => introduce(page, wanted),
  },
  cpu: {
    set: (page, rate) => send(page, 'Emulation.setCPUThrottlingRate', { rate }),
    reset: (page) => send(page, 'Emulation.setCPUThrottlingRate', { rate: 1 }),
  },
  throttle: {
    set: (page, { latencyMs, downloadKbps, uploadKbps }, { offline }) =>
      send(page, 'Network.emulateNetworkConditions', {
        ...{ offline, latency: latencyMs },
        ...{ downloadThroughput: bytesPerSecond(downloadKbps), uploadThroughput: bytesPerSecond(uploadKbps) },
      }),
    // Nobody asks this session again whether there is a network, so it must not say that there is none.
    reset: (page) =>
      send(page, 'Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      }),
  },
};

// Who the browser says it is and which language it asks for are one message: the one must not take back the other.
async function introduce(page: Page, wanted: Around['wanted']): Promise<void> {
  const [name, acceptLanguage] = [wanted.get('userAgent'), wanted.get('locale')];
  const isItself = name === undefined && acceptLanguage === undefined;
  const userAgent = isItself ? '' : (name ?? (await page.evaluate('navigator.userAgent')));
  await send(page, 'Emulation.setUserAgentOverride', { userAgent, ...(acceptLanguage === undefined ? {} : { acceptLanguage }) });
}

function bytesPerSecond(kilobits: number | undefined): number {
  return kilobits === undefined ? -1 : (kilobits * 1_000) / 8;
}

// Chromium lets one session alone decide, and Playwright's comes first.
function fixedByHost(locale: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof Error && thrown.message.includes('already in effect'))) throw thrown;
    const message = `The locale cannot become ${JSON.stringify(locale)}: the host has set one for the whole test. Set "locale" in its "use" block instead, or to undefined there.`;
    throw new RecipeError('cdp.locale_is_fixed', 'environment', message);
  };
}
