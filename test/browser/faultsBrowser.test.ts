// A killed browser or a crashed renderer ends the node at once, as a failure of the environment (F46 and F47).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from '@playwright/test';
import { afterAll, describe, expect, test } from 'vitest';
import { freshPage, startChromium } from '../support/chromium.js';
import { servePages } from '../support/pages.js';
import type { Node } from '../support/recipe.js';
import { type UiRun, uiRun } from '../support/uiRun.js';

const pages = await servePages();
const silent = createServer(() => undefined);
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
silent.unref();
afterAll(() => {
  pages.close();
  silent.closeAllConnections();
  silent.close();
});

const open = { action: 'ui.navigate', url: pages.url('<p>here</p><button disabled>Buy</button>') };
const slow = { action: 'ui.navigate', url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` };
const good = { action: 'ui.screenshot', path: 'screenshots/good.png' };
// Longer than the timeout of a test, so that only the crash can end the node.
const never = 10_000_000;
const points: [string, Node][] = [
  ['while a page opens', slow],
  ['while a press waits', { action: 'ui.press', text: 'Buy' }],
  ['while a node waits for a text', { action: 'ui.wait_for', text: 'never', timeout_ms: never }],
  ['while a node waits for an event', { action: 'ui.wait_for', event: 'never', timeout_ms: never }],
  ['before a node begins', { action: 'ui.screenshot' }],
];

async function kill(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const main = processInfo.find(({ type }) => type === 'browser');
  if (!main) throw new Error('The browser has no process.');
  process.kill(main.id, 'SIGKILL');
}

async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // A crashed page does not respond.
  void session.send('Page.crash').catch(() => undefined);
}

/** Calls `crashNow` 200 ms after the node began, or before it begins. `crashed` resolves when Playwright has noticed the crash. */
function crashAt(crashNow: () => Promise<void>, crashed: Promise<unknown>, isBefore: boolean): { began(id: string): unknown } {
  const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    began(id) {
      if (id !== 'node') return undefined;
      if (isBefore) return crashNow().then(() => crashed);
      void after(200).then(crashNow);
      return undefined;
    },
  };
}

/** The running node has failed, and the screenshot before it is stored. */
function expectFailedNode(run: UiRun): void {
  expect.soft([...run.ends].filter(([, { ok }]) => !ok).map(([id]) => id)).toEqual(['node']);
  expect.soft(run.pictures.map(({ path }) => path)).toEqual(['screenshots/good.png']);
}

describe('F46: a browser that is killed', () => {
  test.for(points)(
    'F46: a browser that is killed %s ends the node at once, with the environment as the cause',
    async ([when, node]) => {
      const browser = await startChromium();
      const page = await freshPage(browser);
      const crashed = new Promise((resolve) => browser.once('disconnected', resolve));
      const { began } = crashAt(() => kill(browser), crashed, when.startsWith('before'));
      const run = await uiRun(page, { open, good, node }, { began, nodeTimeoutMs: never });
      await crashed;
      expect(run).toMatchObject({ status: 'unknown', cause: 'environment' });
      expect(run.error).toMatch(/^ui.browser_gone: The browser disconnected/);
      expectFailedNode(run);
    },
  );

  test('F46: after a browser was killed, the next recipe passes in a new browser', async () => {
    const [first, second] = [await startChromium(), await startChromium()];
    const page = await freshPage(first);
    await kill(first);
    await uiRun(page, { open });
    const run = await uiRun(await freshPage(second), { open, see: { action: 'ui.wait_for', text: 'here' } });
    expect(run).toMatchObject({ status: 'pass', error: '' });
    await second.close();
  });
});

describe('F47: a renderer that crashes', () => {
  test('F47: a crashed renderer ends the node at once, with the environment as the cause, and the next recipe passes', async () => {
    const browser = await startChromium();
    const typing: [string, Node] = ['while a node waits for a field', { action: 'ui.set_input', selector: '#late', value: 'x' }];
    for (const [when, node] of [typing, ...points.slice(1)]) {
      const page = await freshPage(browser);
      const crashed = page.waitForEvent('crash', { timeout: 0 });
      const { began } = crashAt(() => crash(page), crashed, when.startsWith('before'));
      const run = await uiRun(page, { open, good, node }, { began, nodeTimeoutMs: never });
      await crashed;
      expect
        .soft([when, run.status, run.cause, run.error.split(':')[0]])
        .toEqual([when, 'unknown', 'environment', 'ui.page_crashed']);
      expect.soft(run.error, when).toContain('crashed');
      expectFailedNode(run);
      await page.context().close();
    }
    const run = await uiRun(await freshPage(browser), { open, see: { action: 'ui.wait_for', text: 'here' } });
    expect(run.error).toBe('');
    await browser.close();
  });
});

test('a page that closes itself is a failure of the app under test', async () => {
  const browser = await startChromium();
  const page = await freshPage(browser);
  const began = (id: string): void => void (id === 'node' && setTimeout(() => void page.close(), 300));
  const run = await uiRun(page, { open, node: { action: 'ui.wait_for', text: 'never', timeout_ms: never } }, { began });
  expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
  expect(run.error).toMatch(/^ui.page_closed: .*cdp.target/s);
  await browser.close();
});
