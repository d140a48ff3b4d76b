// A browser for a run without a test host: started for it, or one that runs already and is only attached to.
import type { Browser, Page } from '@playwright/test';
import { systemClock } from '../system/clock.js';
import { attachToApp } from './launchAttached.js';
import { firstWords, LaunchFault } from './launchFault.js';
import { launchOwn, type OwnBrowser } from './launchOwn.js';
import { loadPlaywright, playwrightPackages } from './launchPlaywright.js';

export type BrowserOptions = {
  /** chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program. */
  name?: string | undefined;
  headed?: boolean | undefined;
  /** Of an app that runs already; it is attached to and never closed. */
  cdpPort?: number | undefined;
  /** What paths in `ui.navigate` are relative to. */
  baseURL?: string | undefined;
  /** A part of the URL or the title of the page to begin with in an app that was attached to. */
  page?: string | undefined;
};

export type Launched = { page: Page; isOwn: boolean; close(): Promise<void> };

/** What to do, in the words of the doctor. */
export type Advice = { playwright: string; browser: string };

/** How long a browser may take to end before it is left to the end of the process. */
const closeMs = 2_000;

/** @throws LaunchFault */
export async function launchBrowser(options: BrowserOptions, projectRoot: string, advice: Advice): Promise<Launched> {
  const playwright = loadPlaywright(projectRoot);
  if (!playwright) {
    const message = `The recipe needs a browser, and ${projectRoot} has no Playwright to drive one: neither ${playwrightPackages.join(' nor ')}.`;
    throw new LaunchFault('run.no_playwright', message, advice.playwright);
  }
  const { cdpPort, name = 'chromium', headed = false, baseURL, page: named } = options;
  if (cdpPort !== undefined) {
    const app = await attachToApp(playwright.chromium, cdpPort);
    const letGo = async (): Promise<void> => void (await closeInTime(app.browser));
    try {
      return { page: await app.page(named), isOwn: false, close: letGo };
    } catch (thrown) {
      await letGo();
      throw thrown;
    }
  }
  const own = await launchOwn({ playwright, name, headed, projectRoot, advice: advice.browser });
  try {
    const context = await own.browser.newContext(baseURL === undefined ? {} : { baseURL });
    return { page: await context.newPage(), isOwn: true, close: () => end(own) };
  } catch (thrown) {
    await end(own);
    const message = `The browser started, but opened no page: ${firstWords(thrown)}`;
    throw new LaunchFault('run.browser_not_started', message, 'Name another one by --browser.', { cause: thrown });
  }
}

async function end({ browser, scratch }: OwnBrowser): Promise<void> {
  // What a browser that hangs has written is removed with this process, after Playwright has killed it.
  if (await closeInTime(browser)) scratch.remove();
}

async function closeInTime(browser: Browser): Promise<boolean> {
  let withdraw = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    withdraw = systemClock.after(closeMs, () => resolve(false));
  });
  // One that crashed is closed already.
  const closed = browser.close().then(
    () => true,
    () => true,
  );
  const isClosed = await Promise.race([closed, late]);
  withdraw();
  return isClosed;
}
