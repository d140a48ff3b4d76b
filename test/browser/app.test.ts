import { describe, expect, test } from 'vitest';
import { RunPages, runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { hang } from '../support/hang.js';
import { uiRun } from '../support/uiRun.js';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { app, run } = pages;

const lifecycle = (command: string, rest: object = {}) => ({ action: 'app.lifecycle', command, ...rest });

describe('app.status', () => {
  test('app.status reads the URL, title and state of the app', async () => {
    const ran = await run({ open: open('/cart'), status: { action: 'app.status' } });
    expect(ran.error).toBe('');
    expect(outputOf(ran, 'status')).toEqual({
      ...{ running: true, url: `${app.origin}/cart`, title: 'Cart', ready: 'complete', visible: true, focused: true },
      ...{ online: true, viewport: { width: 1280, height: 720, deviceScaleFactor: 1 }, language: 'en-US', pages: 1 },
    });
  });

  test('app.status reports that a terminated app is not running', async () => {
    const ran = await run({ open: open('/'), end: lifecycle('terminate'), status: { action: 'app.status' } });
    expect(outputOf(ran, 'status')).toEqual({ running: false, pages: 0 });
  });

  test('app.status on a page that hangs ends with the timeout of its node', async () => {
    const nodes = { open: open('/'), status: { action: 'app.status', timeout_ms: 700 } };
    const ran = await run(nodes, { began: (id) => (id === 'status' ? hang(pages.page) : undefined) });
    expect(ran.error).toMatch(/^action.timed_out: .*did not respond/s);
  });

  test('app.status without an assertion proves nothing', async () => {
    const ran = await run({ status: { action: 'app.status' } });
    expect(ran.status).toBe('unknown');
  });
});

describe('app.lifecycle', () => {
  test('app.lifecycle reload discards the state of the page', async () => {
    await pages.page.goto('/cart');
    await pages.page.evaluate('window.kept = 1');
    const ran = await run({ again: lifecycle('reload') });
    expect(outputOf(ran, 'again')).toEqual({ command: 'reload', running: true, url: `${app.origin}/cart`, status: 200 });
    expect(await pages.page.evaluate('window.kept ?? 0')).toBe(0);
  });

  test('app.lifecycle back opens the previous page, and fails when there is none', async () => {
    const ran = await run({ shop: open('/'), cart: open('/cart'), back: lifecycle('back'), status: { action: 'app.status' } });
    expect(outputOf(ran, 'status')).toMatchObject({ title: 'Shop' });
    const emptyPage = await freshPage(pages.browser, { baseURL: app.origin });
    const ranOnEmptyPage = await uiRun(emptyPage, { back: lifecycle('back') });
    expect(ranOnEmptyPage.error).toMatch(/^app.no_history: There is no page to go back to/);
    await emptyPage.context().close();
  });

  test('app.lifecycle back works for a history entry with the same URL', async () => {
    await pages.page.goto('/cart');
    await pages.page.evaluate("history.pushState('later', '', location.href)");
    expect((await run({ back: lifecycle('back') })).error).toBe('');
    expect(await pages.page.evaluate('history.state')).toBeNull();
  });

  test('app.lifecycle background and foreground hide and show the page', async () => {
    const status = { action: 'app.status' };
    const ran = await run({
      shop: open('/'),
      hide: lifecycle('background'),
      hidden: status,
      show: lifecycle('foreground'),
      shown: status,
    });
    expect(outputOf(ran, 'hidden')).toMatchObject({ visible: false, focused: false });
    expect(outputOf(ran, 'shown')).toMatchObject({ visible: true, focused: true });
    expect(await pages.page.evaluate('heard')).toEqual(['hidden', 'freeze', 'resume', 'visible']);
  });

  test('app.lifecycle terminate and launch close the app and open its first URL again, with its stored data', async () => {
    await pages.page.goto('/');
    await pages.page.evaluate("localStorage.kept = 'yes'; sessionStorage.lost = 'yes'");
    await pages.page.goto('/cart');
    const ran = await run({ end: lifecycle('terminate'), begin: lifecycle('launch') });
    expect(ran.error).toBe('');
    expect(outputOf(ran, 'end')).toEqual({ command: 'terminate', running: false });
    expect(outputOf(ran, 'begin')).toEqual({
      ...{ command: 'launch', running: true, url: `${app.origin}/`, status: 200, wasRunning: false },
    });
    const newPage = runPagesOf(pages.page).page;
    expect(pages.page.isClosed()).toBe(true);
    expect(await newPage.evaluate('[localStorage.kept, sessionStorage.lost ?? null]')).toEqual(['yes', null]);
  });

  test('nodes after app.lifecycle restart use the new page', async () => {
    const nodes = {
      shop: open('/'),
      cart: open('/cart'),
      again: lifecycle('restart'),
      see: { action: 'ui.wait_for', text: 'Shop' },
    };
    const ran = await run(nodes);
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(runPagesOf(pages.page).context.pages()).toHaveLength(1);
  });

  test('app.lifecycle launch leaves a running app as it is', async () => {
    const ran = await run({ cart: open('/cart'), begin: lifecycle('launch') });
    expect(outputOf(ran, 'begin')).toMatchObject({ wasRunning: true, url: `${app.origin}/cart` });
  });

  test('app.lifecycle launch opens the base URL when no page was open, and explains what to do without one', async () => {
    expect(outputOf(await run({ begin: lifecycle('launch') }), 'begin')).toMatchObject({ url: `${app.origin}/` });
    const emptyPage = await freshPage(pages.browser);
    expect((await uiRun(emptyPage, { begin: lifecycle('launch') })).error).toMatch(/^app.no_start: .*ui\.navigate.*"baseURL"/);
    await emptyPage.context().close();
  });

  test('app.lifecycle restart leaves a page that shows a beforeunload dialog', async () => {
    const ran = await run({ ask: open('/asks'), touch: { action: 'ui.press', text: 'Asks' }, again: lifecycle('restart') });
    expect([ran.status, ran.error]).toEqual(['pass', '']);
  });

  test('app.lifecycle reload fails when the server responds with an HTTP error', async () => {
    await pages.page.goto('/broken');
    const ran = await run({ again: lifecycle('reload') });
    expect([ran.status, ran.error]).toEqual(['fail', `app.http_error: ${app.origin}/broken answered with HTTP 500.`]);
  });

  test.for(['terminate', 'restart'])('app.lifecycle refuses to %s an app that was running before the run', async (command) => {
    const runPages = new RunPages(pages.page, { isOwn: false });
    await pages.page.goto('/cart');
    const ran = await run({ end: lifecycle(command) });
    expect([ran.status, ran.cause]).toEqual(['unknown', 'environment']);
    expect(ran.error).toMatch(/^app.not_own: app\.lifecycle cannot .* an app that was running before.*"reload"/);
    expect(pages.page.isClosed()).toBe(false);
    runPages.stopListening();
  });

  test('app.lifecycle waits for settle_ms', async () => {
    const ran = await run({ cart: open('/cart'), again: lifecycle('reload', { settle_ms: 400 }) });
    expect(ran.ends.get('again')?.ms).toBeGreaterThanOrEqual(400);
  });

  test('app.lifecycle is refused in a proof', async () => {
    const proof = { cart: open('/cart'), again: { ...lifecycle('restart'), proofTarget: 'AC1' } };
    await expect(run(proof, { targets: ['AC1'] })).rejects.toThrow(/workflow\.backdoor_in_proof/);
  });
});

describe('app.trace', () => {
  test('app.trace reads the latest performance entries', async () => {
    await pages.page.goto('/cart');
    await pages.page.evaluate(
      "performance.mark('a'); performance.measure('took', { start: 10, end: 35 }); performance.mark('b')",
    );
    const trace = (fields: object) => ({ action: 'app.trace', ...fields });
    const nodes = {
      all: trace({}),
      last: trace({ limit: 1, type: 'mark' }),
      took: trace({ name: 'took' }),
      none: trace({ type: 'paintt' }),
    };
    const ran = await run(nodes);
    expect(outputOf(ran, 'all')).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ type: 'navigation', status: 200 })]),
    });
    expect(outputOf(ran, 'last')).toMatchObject({ count: 2, entries: [{ name: 'b', type: 'mark' }] });
    expect(outputOf(ran, 'took')).toEqual({ count: 1, entries: [{ name: 'took', type: 'measure', start: 10, duration: 25 }] });
    expect(outputOf(ran, 'none')).toEqual({ count: 0, entries: [] });
  });

  test('app.trace limits the number and the length of its entries', async () => {
    await pages.page.goto('/cart');
    await pages.page.evaluate("for (let i = 0; i < 500; i++) performance.mark('m'.repeat(5000) + i)");
    const ran = await run({ all: { action: 'app.trace' } });
    expect(outputOf(ran, 'all').entries).toHaveLength(20);
    expect(JSON.stringify(outputOf(ran, 'all')).length).toBeLessThan(50_000);
  });
});
