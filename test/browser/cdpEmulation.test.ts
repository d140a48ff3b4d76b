import { describe, expect, test } from 'vitest';
import { restoreApp } from '../../src/browser/pageSettings.js';
import { RunPages, runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { uiRun } from '../support/uiRun.js';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { app, run } = pages;
const emulate = (fields: object) => ({ action: 'cdp.emulation', ...fields });
const restore = emulate({ mode: 'restore' });

const cases: readonly (readonly [field: string, fields: object, script: string, set: unknown, usual: unknown])[] = [
  ['viewport', { viewport: { width: 390, height: 844 } }, '[innerWidth, innerHeight]', [390, 844], [1280, 720]],
  [
    ...(['deviceScaleFactor', { viewport: { width: 390, height: 844, deviceScaleFactor: 3 } }] as const),
    ...(['[innerWidth, innerHeight, devicePixelRatio]', [390, 844, 3], [1280, 720, 1]] as const),
  ],
  ['color_scheme', { color_scheme: 'dark' }, "matchMedia('(prefers-color-scheme: dark)').matches", true, false],
  ['reduced_motion', { reduced_motion: 'reduce' }, "matchMedia('(prefers-reduced-motion: reduce)').matches", true, false],
  [
    ...(['locale', { locale: 'de_DE' }] as const),
    ...(['[navigator.language, (1.5).toLocaleString()]', ['de-DE', '1,5'], ['en-US', '1.5']] as const),
  ],
  [
    ...(['timezone', { timezone: 'Asia/Tokyo' }] as const),
    ...(["Intl.DateTimeFormat().resolvedOptions().timeZone === 'Asia/Tokyo'", true, false] as const),
  ],
  ['offline', { offline: true }, 'navigator.onLine', false, true],
  ['user_agent', { user_agent: 'Shop/1.0' }, "navigator.userAgent === 'Shop/1.0'", true, false],
];

describe('cdp.emulation', () => {
  test.for(cases)(
    'cdp.emulation sets %s, also for pages that open later, and resets it',
    async ([name, fields, script, set, usual]) => {
      const { page } = pages;
      await page.goto('/cart');
      const ran = await run({ set: emulate(fields) });
      expect(ran.error).toBe('');
      expect(outputOf(ran, 'set')).toEqual(fields);
      expect(await page.evaluate(script)).toEqual(set);
      if (name !== 'offline') {
        await page.reload();
        expect(await page.evaluate(script)).toEqual(set);
        await run({ again: { action: 'app.lifecycle', command: 'restart' } });
        expect(await page.context().pages()[0]?.evaluate(script)).toEqual(set);
      }
      const back = await run({ restore });
      expect(outputOf(back, 'restore').restored).toHaveLength(1);
      expect(await page.context().pages()[0]?.evaluate(script)).toEqual(usual);
    },
  );

  test('cdp.emulation sets the geolocation and grants the permission to read it', async () => {
    const readPosition = `new Promise((resolve) => navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve([coords.latitude, coords.longitude]), ({ message }) => resolve(message)))`;
    const ran = await run({ open: open('/'), set: emulate({ geolocation: { latitude: 52.5, longitude: 13.4 } }) });
    expect(ran.error).toBe('');
    expect(await pages.page.evaluate(readPosition)).toEqual([52.5, 13.4]);
    const back = await run({ restore });
    expect(outputOf(back, 'restore').restored).toEqual(['geolocation']);
  });

  test('cdp.emulation slows the processor down', async () => {
    const times = async (): Promise<number[]> => {
      const measured = await pages.page.evaluate<number[]>(`[1, 2, 3, 4, 5].map(() => {
        const t = performance.now();
        let sum = 0;
        for (let i = 0; i < 1e7; i++) sum += i;
        return performance.now() - t;
      })`);
      return measured.sort((a, b) => a - b);
    };
    await pages.page.goto('/');
    // Polls for the best of five measurements, because other processes of the machine slow some of them down.
    const best = async (): Promise<number> => (await times())[0] ?? 0;
    const usual = await best();
    expect((await run({ slow: emulate({ cpu: 20 }) })).error).toBe('');
    await expect.poll(best).toBeGreaterThan(usual * 4);
    await run({ restore });
    await expect.poll(best).toBeLessThan(usual * 4);
  });

  test('cdp.emulation sets the user agent and the locale without undoing either of them', async () => {
    const { page } = pages;
    await page.goto('/');
    await run({ name: emulate({ user_agent: 'Shop/1.0' }), language: emulate({ locale: 'fr-FR' }) });
    expect(await page.evaluate('[navigator.userAgent, navigator.language]')).toEqual(['Shop/1.0', 'fr-FR']);
  });

  test('cdp.emulation restores the settings of the host', async () => {
    const page = await freshPage(pages.browser, {
      baseURL: app.origin,
      colorScheme: 'dark',
      viewport: { width: 800, height: 600 },
    });
    await uiRun(page, {
      open: open('/'),
      set: emulate({ color_scheme: 'light', viewport: { width: 300, height: 300 } }),
      restore,
    });
    const state = await page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]");
    expect(state).toEqual([800, true]);
    await page.context().close();
  });

  test('cdp.emulation explains where to change a locale that the host has fixed', async () => {
    const page = await freshPage(pages.browser, { baseURL: app.origin, locale: 'en-GB' });
    const ran = await uiRun(page, { open: open('/'), set: emulate({ locale: 'de-DE' }) });
    expect([ran.status, ran.cause]).toEqual(['unknown', 'environment']);
    expect(ran.error).toMatch(/^cdp.locale_is_fixed: .*"use" block/);
    await page.context().close();
  });

  test('cdp.emulation changes and restores the viewport of an attached app', async () => {
    const page = await freshPage(pages.browser, { baseURL: app.origin, viewport: null });
    const runPages = new RunPages(page, { isOwn: false });
    await page.goto('/');
    const before = await page.evaluate('innerWidth');
    await uiRun(page, { set: emulate({ viewport: { width: 333, height: 444 } }) });
    expect(await page.evaluate('innerWidth')).toBe(333);
    await uiRun(page, { restore });
    // Only the page knows its initial width, so the test waits for it.
    await expect.poll(() => page.evaluate('innerWidth')).toBe(before);
    runPages.stopListening();
    await page.context().close();
  });

  test('restoreApp resets emulation, throttling, blocks, recording and traces of a page that stays open', async () => {
    const { page } = pages;
    await page.goto('/');
    const readSettings = `(async () => [innerWidth, navigator.onLine, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
      await fetch('/api/ok').then(({ status }) => status, ({ message }) => message)])()`;
    const before = await page.evaluate(readSettings);
    await run({
      set: emulate({ viewport: { width: 300, height: 300 }, locale: 'fr-FR', timezone: 'Asia/Tokyo', offline: true }),
      slow: { action: 'cdp.network', mode: 'throttle', latency_ms: 50 },
      block: { action: 'cdp.network', mode: 'block', url: '/api/' },
      watch: { action: 'cdp.network', mode: 'observe' },
      trace: { action: 'cdp.trace', mode: 'start' },
    });
    expect(await page.evaluate(readSettings)).toEqual([300, false, 'fr-FR', 'Asia/Tokyo', 'Failed to fetch']);
    await restoreApp(runPagesOf(page));
    expect(await page.evaluate(readSettings)).toEqual(before);
  });

  test.for([
    [{}, /needs something to emulate/],
    [{ timezone: 'Mars/Olympus' }, /must be a time zone/],
    [{ locale: 'german please' }, /must be a language tag/],
    [{ geolocation: { latitude: 99, longitude: 0 } }, /latitude/],
    [{ cpu: 0 }, /cpu/],
  ] as const)('cdp.emulation with %j is refused before the run', async ([fields, message]) => {
    await expect(run({ set: emulate(fields) })).rejects.toThrow(message);
  });

  test('cdp.emulation without an assertion proves nothing', async () => {
    const ran = await run({ set: emulate({ color_scheme: 'dark' }), restore });
    expect(ran.status).toBe('unknown');
  });
});
