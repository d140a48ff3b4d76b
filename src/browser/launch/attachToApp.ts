// An app that runs already: Chromium, Chrome, Edge or Electron with a debugging port. Nothing of it is closed.
import type { Browser, Page } from '@playwright/test';
import { LaunchError, summarizeError } from './launchError.js';
import type { Playwright } from './loadPlaywright.js';

const connectMs = 10_000;

export type AttachedApp = {
  browser: Browser;
  /**
   * @param urlOrTitle a part of its URL or title
   * @throws LaunchFault when the app has no such page
   */
  page(urlOrTitle?: string): Promise<Page>;
};

export type ConnectToPort = (port: number) => Promise<Browser>;

export function connectWithPlaywright({ chromium }: Playwright): ConnectToPort {
  return (port) => chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: connectMs });
}

/** @throws LaunchFault */
export async function attachToApp(connect: ConnectToPort, port: number): Promise<AttachedApp> {
  const lastUsed = await listTargetIds(port);
  const browser = await connectToPort(connect, port);
  return {
    browser,
    async page(urlOrTitle) {
      const pages = await sortByLastUse(
        browser.contexts().flatMap((context) => context.pages()),
        lastUsed,
      );
      const page = urlOrTitle === undefined ? chooseDefaultPage(pages) : await findPage(pages, urlOrTitle);
      if (!page) throw noPageError(port, pages, urlOrTitle);
      return page;
    },
  };
}

/**
 * The one that was active last comes first. The browser hands its pages over in no order, and to attach to a page
 * activates it, so this is asked before.
 */
async function listTargetIds(port: number): Promise<readonly string[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(connectMs) });
    return ((await answer.json()) as readonly { readonly id: string }[]).map(({ id }) => id);
  } catch {
    // Whoever connects to the port next says why that is not possible.
    return [];
  }
}

async function connectToPort(connect: ConnectToPort, port: number): Promise<Browser> {
  try {
    return await connect(port);
  } catch (thrown) {
    const message = `No app can be attached to at port ${port}: ${summarizeError(thrown)}`;
    const hint = `Start the app with --remote-debugging-port=${port}, or check the port.`;
    throw new LaunchError('run.not_attached', message, hint, { cause: thrown });
  }
}

/** Pages that were opened since come last. */
async function sortByLastUse(pages: readonly Page[], targets: readonly string[]): Promise<readonly Page[]> {
  if (pages.length < 2) return pages;
  const positions = await Promise.all(pages.map(async (page) => ({ page, place: targets.indexOf(await targetIdOf(page)) })));
  const last = targets.length;
  return positions
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
function chooseDefaultPage(pages: readonly Page[]): Page | undefined {
  const withUrl = (pattern: RegExp): Page | undefined => pages.find((page) => pattern.test(page.url()));
  return (
    withUrl(/^https?:/) ??
    withUrl(/^(?!about:|chrome:|devtools:|chrome-extension:)\w/) ??
    withUrl(/^(about:blank|chrome:\/\/newtab)/)
  );
}

async function findPage(pages: readonly Page[], urlOrTitle: string): Promise<Page | undefined> {
  for (const page of pages) {
    // One that hangs or closes has no title.
    if (page.url().includes(urlOrTitle) || (await page.title().catch(() => '')).includes(urlOrTitle)) return page;
  }
  return undefined;
}

function noPageError(port: number, pages: readonly Page[], urlOrTitle: string | undefined): LaunchError {
  const openUrls = pages.map((one) => one.url()).join(', ') || 'none';
  const wanted = urlOrTitle === undefined ? 'no page' : `no page with ${JSON.stringify(urlOrTitle)} in its URL or title`;
  const hint = urlOrTitle === undefined ? 'Open a window of the app.' : 'Open it, or mend "browser.page" in the config.';
  return new LaunchError('run.no_page', `The app at port ${port} has ${wanted}. Open are: ${openUrls}.`, hint);
}
