// An app that runs already: Chromium, Chrome, Edge or Electron with a debugging port. Nothing of it is closed.
import type { Browser, BrowserType, Page } from '@playwright/test';
import { firstWords, LaunchFault } from './launchFault.js';

const connectMs = 10_000;

/** @throws LaunchFault */
export async function attachToApp(
  chromium: BrowserType,
  port: number,
  named: string | undefined,
): Promise<{ browser: Browser; page: Page }> {
  const browser = await connect(chromium, port);
  const pages = browser.contexts().flatMap((context) => context.pages());
  const page = named === undefined ? likeliest(pages) : await firstNamed(pages, named);
  if (page) return { browser, page };
  // This only lets go of the app.
  await browser.close();
  const open = pages.map((one) => one.url()).join(', ') || 'none';
  const wanted = named === undefined ? 'no page' : `no page with ${JSON.stringify(named)} in its URL or title`;
  const hint = named === undefined ? 'Open a window of the app.' : 'Open it, or mend "browser.page" in the config.';
  throw new LaunchFault('run.no_page', `The app at port ${port} has ${wanted}. Open are: ${open}.`, hint);
}

async function connect(chromium: BrowserType, port: number): Promise<Browser> {
  try {
    return await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: connectMs });
  } catch (thrown) {
    const message = `No app can be attached to at port ${port}: ${firstWords(thrown)}`;
    const hint = `Start the app with --remote-debugging-port=${port}, or check the port.`;
    throw new LaunchFault('run.not_attached', message, hint, { cause: thrown });
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
