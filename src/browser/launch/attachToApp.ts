// Attaches to a running app (Chromium, Chrome, Edge or Electron) by its debugging port. The app is never closed.
import type { Browser, Page } from '@playwright/test';
import { LaunchError, summarizeError } from './launchError.js';
import type { Playwright } from './loadPlaywright.js';

const connectMs = 10_000;

export type AttachedApp = {
  browser: Browser;
  /**
   * @param urlOrTitle a part of the URL or title of the page
   * @throws LaunchError when the app has no such page
   */
  page(urlOrTitle?: string): Promise<Page>;
};

export type ConnectToPort = (port: number) => Promise<Browser>;

export function connectWithPlaywright({ chromium }: Playwright): ConnectToPort {
  return (port) => chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: connectMs });
}

/** @throws LaunchError */
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
 * Lists the target ids, the one that was active last first. To be called before attaching: Playwright returns pages in no
 * order, and attaching to a page activates it.
 */
async function listTargetIds(port: number): Promise<readonly string[]> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(connectMs) });
    return ((await response.json()) as readonly { readonly id: string }[]).map(({ id }) => id);
  } catch {
    // Connecting to the port fails next, with a message.
    return [];
  }
}

async function connectToPort(connect: ConnectToPort, port: number): Promise<Browser> {
  try {
    return await connect(port);
  } catch (thrown) {
    const message = `Cannot attach to an app at port ${port}: ${summarizeError(thrown)}`;
    const hint = `Start the app with --remote-debugging-port=${port}, or check the port.`;
    throw new LaunchError('run.not_attached', message, hint, { cause: thrown });
  }
}

/** Pages that are not in `targets`, because they are newer, come last. */
async function sortByLastUse(pages: readonly Page[], targets: readonly string[]): Promise<readonly Page[]> {
  if (pages.length < 2) return pages;
  const ranked = await Promise.all(
    pages.map(async (page) => {
      const index = targets.indexOf(await targetIdOf(page));
      return { page, rank: index < 0 ? targets.length : index };
    }),
  );
  return ranked.sort((one, other) => one.rank - other.rank).map(({ page }) => page);
}

/** Empty when the page is closed by now. */
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

/** A web page, otherwise a page of the app itself (Electron), otherwise an empty window. */
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
    // A page that hangs or closes counts as one without a title.
    if (page.url().includes(urlOrTitle) || (await page.title().catch(() => '')).includes(urlOrTitle)) return page;
  }
  return undefined;
}

function noPageError(port: number, pages: readonly Page[], urlOrTitle: string | undefined): LaunchError {
  const openUrls = pages.map((page) => page.url()).join(', ') || 'none';
  const missing = urlOrTitle === undefined ? 'no page' : `no page with ${JSON.stringify(urlOrTitle)} in its URL or title`;
  const hint = urlOrTitle === undefined ? 'Open a window of the app.' : 'Open it, or correct "browser.page" in the config.';
  return new LaunchError('run.no_page', `The app at port ${port} has ${missing}. Open pages: ${openUrls}.`, hint);
}
