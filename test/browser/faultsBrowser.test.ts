// A browser or a renderer that dies is the environment's fault, and known at once (rows F46 and F47).
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
// Longer than a test may take: only the death of the browser ends a node.
const never = 10_000_000;
const points: [string, Node][] = [
  ['while a page is opened', slow],
  ['while a press waits', { action: 'ui.press', text: 'Buy' }],
  ['while a text is waited for', { action: 'ui.wait_for', text: 'never', timeout_ms: never }],
  ['while an event is waited for', { action: 'ui.wait_for', event: 'never', timeout_ms: never }],
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
  // It is not answered: nobody is left to do so.
  void session.send('Page.crash').catch(() => undefined);
}

/** Dies a moment after the node began, or before it begins. `death` settles when it is noticed. */
function dying(how: () => Promise<void>, death: Promise<unknown>, isBefore: boolean): { began(id: string): unknown } {
  const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    began(id) {
      if (id !== 'node') return undefined;
      if (isBefore) return how().then(() => death);
      void after(200).then(how);
      return undefined;
    },
  };
}

/** The node that was at work is named, and the picture from before it is kept. */
function expectLast(run: UiRun): void {
  expect.soft([...run.ends].filter(([, { ok }]) => !ok).map(([id]) => id)).toEqual(['node']);
  expect.soft(run.pictures.map(({ path }) => path)).toEqual(['screenshots/good.png']);
}

describe('F46: a browser that is killed', () => {
  test.for(points)('%s ends the node as trouble of the environment, long before its deadline', async ([when, node]) => {
    const browser = await startChromium();
    const page = await freshPage(browser);
    const gone = new Promise((resolve) => browser.once('disconnected', resolve));
    const { began } = dying(() => kill(browser), gone, when.startsWith('before'));
    const run = await uiRun(page, { open, good, node }, { began, nodeTimeoutMs: never });
    await gone;
    expect(run).toMatchObject({ status: 'unknown', cause: 'environment' });
    expect(run.error).toMatch(/^ui.browser_gone: The browser disconnected/);
    expectLast(run);
  });

  test('leaves the next recipe alone, which gets a fresh one', async () => {
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
  test('ends the node as trouble of the environment, long before its deadline, 5 of 5, and the browser serves the next recipe', async () => {
    const browser = await startChromium();
    const typing: [string, Node] = ['while a field is waited for', { action: 'ui.set_input', selector: '#late', value: 'x' }];
    for (const [when, node] of [typing, ...points.slice(1)]) {
      const page = await freshPage(browser);
      const gone = page.waitForEvent('crash', { timeout: 0 });
      const { began } = dying(() => crash(page), gone, when.startsWith('before'));
      const run = await uiRun(page, { open, good, node }, { began, nodeTimeoutMs: never });
      await gone;
      expect
        .soft([when, run.status, run.cause, run.error.split(':')[0]])
        .toEqual([when, 'unknown', 'environment', 'ui.page_crashed']);
      expect.soft(run.error, when).toContain('crashed');
      expectLast(run);
      await page.context().close();
    }
    const run = await uiRun(await freshPage(browser), { open, see: { action: 'ui.wait_for', text: 'here' } });
    expect(run.error).toBe('');
    await browser.close();
  });
});

test("a page that closes itself is the product's doing, and says where to look", async () => {
  const browser = await startChromium();
  const page = await freshPage(browser);
  const began = (id: string): void => void (id === 'node' && setTimeout(() => void page.close(), 300));
  const run = await uiRun(page, { open, node: { action: 'ui.wait_for', text: 'never', timeout_ms: never } }, { began });
  expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
  expect(run.error).toMatch(/^ui.page_closed: .*cdp.target/s);
  await browser.close();
});
