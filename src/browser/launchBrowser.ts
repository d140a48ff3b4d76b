// A browser for a run without a test host: started for it, or one that runs already and is only attached to.
import type { Browser, Page } from '@playwright/test';
import { systemClock } from '../system/clock.js';
import { attachToApp, byPlaywright, type Connect } from './launchAttached.js';
import { firstWords, LaunchFault } from './launchFault.js';
import { launchOwn, type OwnBrowser } from './launchOwn.js';
import { loadPlaywright } from './launchPlaywright.js';
import { hintFor, withoutPlaywright } from './withoutPlaywright.js';

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

/** `driver`: the node that asks for more than a debugging port has; undefined when nothing does. */
export type Wanted = { projectRoot: string; advice: Advice; driver?: string | undefined };

/** `isBare`: attached to by its port alone, so that there are no pictures. */
export type Launched = { page: Page; isOwn: boolean; isBare: boolean; close(): Promise<void> };

/** What to do, in the words of the doctor. */
export type Advice = { playwright: string; browser: string };

/** How long a browser may take to end before it is left to the end of the process. */
const closeMs = 2_000;

/** @throws LaunchFault */
export async function launchBrowser(options: BrowserOptions, wanted: Wanted): Promise<Launched> {
  const { projectRoot, advice, driver } = wanted;
  const { cdpPort, name = 'chromium', headed = false, baseURL } = options;
  const playwright = loadPlaywright(projectRoot);
  if (cdpPort !== undefined && playwright) return attach(byPlaywright(playwright), cdpPort, options);
  if (cdpPort !== undefined && driver === undefined) {
    const { connectBare } = await import('./bare/browser.js');
    return { ...(await attach(connectBare, cdpPort, options)), isBare: true };
  }
  if (!playwright) throw new LaunchFault('run.no_playwright', withoutPlaywright(projectRoot, driver), hintFor(advice, driver));
  const own = await launchOwn({ playwright, name, headed, projectRoot, advice: advice.browser });
  try {
    const context = await own.browser.newContext(baseURL === undefined ? {} : { baseURL });
    return { page: await context.newPage(), isOwn: true, isBare: false, close: () => end(own) };
  } catch (thrown) {
    await end(own);
    const message = `The browser started, but opened no page: ${firstWords(thrown)}`;
    throw new LaunchFault('run.browser_not_started', message, 'Name another one by --browser.', { cause: thrown });
  }
}

async function attach(connect: Connect, port: number, { page: named }: BrowserOptions): Promise<Launched> {
  const app = await attachToApp(connect, port);
  const letGo = async (): Promise<void> => void (await closeInTime(app.browser));
  try {
    return { page: await app.page(named), isOwn: false, isBare: false, close: letGo };
  } catch (thrown) {
    await letGo();
    throw thrown;
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
