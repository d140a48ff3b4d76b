// An app that runs already: Chromium, Chrome, Edge or Electron with a debugging port. Nothing of it is closed.
import type { Browser, Page } from '@playwright/test';
import { firstWords, LaunchFault } from './launchFault.js';
import type { Playwright } from './launchPlaywright.js';

const connectMs = 10_000;

export type App = {
  browser: Browser;
  /**
   * @param named a part of its URL or title
   * @throws LaunchFault when the app has no such page
   */
  page(named?: string): Promise<Page>;
};

export type Connect = (port: number) => Promise<Browser>;

export function byPlaywright({ chromium }: Playwright): Connect {
  return (port) => chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: connectMs });
}

/** @throws LaunchFault */
export async function attachToApp(connect: Connect, port: number): Promise<App> {
  const lastUsed = await targetsOf(port);
  const browser = await connectTo(connect, port);
  return {
    browser,
    async page(named) {
      const pages = await inOrder(
        browser.contexts().flatMap((context) => context.pages()),
        lastUsed,
      );
      const page = named === undefined ? likeliest(pages) : await firstNamed(pages, named);
      if (!page) throw noPage(port, pages, named);
      return page;
    },
  };
}

/**
 * The one that was active last comes first. The browser hands its pages over in no order, and to attach to a page
 * activates it, so this is asked before.
 */
async function targetsOf(port: number): Promise<readonly string[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(connectMs) });
    return ((await answer.json()) as readonly { readonly id: string }[]).map(({ id }) => id);
  } catch {
    // Whoever connects to the port next says why that is not possible.
    return [];
  }
}

async function connectTo(connect: Connect, port: number): Promise<Browser> {
  try {
    return await connect(port);
  } catch (thrown) {
    const message = `No app can be attached to at port ${port}: ${firstWords(thrown)}`;
    const hint = `Start the app with --remote-debugging-port=${port}, or check the port.`;
    throw new LaunchFault('run.not_attached', message, hint, { cause: thrown });
  }
}

/** Pages that were opened since come last. */
async function inOrder(pages: readonly Page[], targets: readonly string[]): Promise<readonly Page[]> {
  if (pages.length < 2) return pages;
  const placed = await Promise.all(pages.map(async (page) => ({ page, place: targets.indexOf(await targetIdOf(page)) })));
  const last = targets.length;
  return placed
    .map(({ page, place }) => ({ page, place: place < 0 ? last : place }))
    .sort((one, other) => one.place - other.place)
    .map(({ page }) => page);
}

/** @returns '' for one that closed meanwhile */
async function targetIdOf(page: Page): Promise<string> {
  try {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return targetInfo.targetId;
  } catch {
    return '';
  }
}

/** A page of the web, else one of the app's own (Electron), else an empty window. */
function likeliest(pages: readonly Page[]): Page | undefined {
  const withUrl = (pattern: RegExp): Page | undefined => pages.find((page) => pattern.test(page.url()));
  return (
    withUrl(/^https?:/) ??
    withUrl(/^(?!about:|chrome:|devtools:|chrome-extension:)\w/) ??
    withUrl(/^(about:blank|chrome:\/\/newtab)/)
  );
}

async function firstNamed(pages: readonly Page[], named: string): Promise<Page | undefined> {
  for (const page of pages) {
    // One that hangs or closes has no title.
    if (page.url().includes(named) || (await page.title().catch(() => '')).includes(named)) return page;
  }
  return undefined;
}

function noPage(port: number, pages: readonly Page[], named: string | undefined): LaunchFault {
  const open = pages.map((one) => one.url()).join(', ') || 'none';
  const wanted = named === undefined ? 'no page' : `no page with ${JSON.stringify(named)} in its URL or title`;
  const hint = named === undefined ? 'Open a window of the app.' : 'Open it, or mend "browser.page" in the config.';
  return new LaunchFault('run.no_page', `The app at port ${port} has ${wanted}. Open are: ${open}.`, hint);
}
