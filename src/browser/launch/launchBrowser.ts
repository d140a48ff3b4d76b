// A browser for a run without a test host: started for it, or one that runs already and is only attached to.

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { findChromium } from '../../system/browsers.js';
import { systemClock } from '../../system/clock.js';
import { isFile } from '../../system/files/files.js';
import { TemporaryDirectory } from '../../system/files/temporaryDirectory.js';
import { findArguments } from '../../system/processes/processTable.js';
import { attachToApp, type ConnectToPort, connectWithPlaywright } from './attachToApp.js';
import { LaunchError, summarizeError } from './launchError.js';
import {
  type BrowserName,
  describeMissingPlaywright,
  loadPlaywright,
  missingPlaywrightHint,
  type Playwright,
} from './loadPlaywright.js';

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
type LaunchContext = { projectRoot: string; advice: LaunchAdvice; driver?: string | undefined };

/** `isBare`: attached to by its port alone, so that there are no pictures. */
export type LaunchedBrowser = { page: Page; isOwn: boolean; isPortOnly: boolean; close(): Promise<void> };

/** What to do, in the words of the doctor. */
export type LaunchAdvice = { playwright: string; browser: string };

/** How long a browser may take to end before it is left to the end of the process. */
const closeMs = 2_000;

/** @throws LaunchFault */
export async function launchBrowser(options: BrowserOptions, wanted: LaunchContext): Promise<LaunchedBrowser> {
  const { projectRoot, advice, driver } = wanted;
  const { cdpPort, name = 'chromium', headed = false, baseURL } = options;
  const playwright = loadPlaywright(projectRoot);
  if (cdpPort !== undefined && playwright) return attachToPort(connectWithPlaywright(playwright), cdpPort, options);
  if (cdpPort !== undefined && driver === undefined) {
    const { connectOverCdp } = await import('../cdp/cdpBrowser.js');
    return { ...(await attachToPort(connectOverCdp, cdpPort, options)), isPortOnly: true };
  }
  if (!playwright)
    throw new LaunchError(
      'run.no_playwright',
      describeMissingPlaywright(projectRoot, driver),
      missingPlaywrightHint(advice, driver),
    );
  const own = await launchOwnBrowser({ playwright, name, headed, projectRoot, advice: advice.browser });
  try {
    const context = await own.browser.newContext(baseURL === undefined ? {} : { baseURL });
    return { page: await context.newPage(), isOwn: true, isPortOnly: false, close: () => closeOwnBrowser(own) };
  } catch (thrown) {
    await closeOwnBrowser(own);
    const message = `The browser started, but opened no page: ${summarizeError(thrown)}`;
    throw new LaunchError('run.browser_not_started', message, 'Name another one by --browser.', { cause: thrown });
  }
}

async function attachToPort(connect: ConnectToPort, port: number, { page: named }: BrowserOptions): Promise<LaunchedBrowser> {
  const app = await attachToApp(connect, port);
  const disconnect = async (): Promise<void> => void (await closeInTime(app.browser));
  try {
    return { page: await app.page(named), isOwn: false, isPortOnly: false, close: disconnect };
  } catch (thrown) {
    await disconnect();
    throw thrown;
  }
}

async function closeOwnBrowser({ browser, scratch }: OwnBrowser): Promise<void> {
  // What a browser that hangs has written is removed with this process, after Playwright has killed it.
  if (await closeInTime(browser)) scratch.remove();
}

async function closeInTime(browser: Browser): Promise<boolean> {
  let withdraw = (): void => undefined;
  const timedOut = new Promise<boolean>((resolve) => {
    withdraw = systemClock.after(closeMs, () => resolve(false));
  });
  // One that crashed is closed already.
  const closed = browser.close().then(
    () => true,
    () => true,
  );
  const isClosed = await Promise.race([closed, timedOut]);
  withdraw();
  return isClosed;
}

// A browser that is started for one run and ends with it, with everything it wrote.

type OwnBrowser = { browser: Browser; scratch: TemporaryDirectory };

type LaunchOptions = {
  playwright: Playwright;
  name: string;
  headed: boolean;
  /** What a path is relative to. */
  projectRoot: string;
  /** How to get a Chromium. */
  advice: string;
};

const browserNames: readonly string[] = ['chromium', 'firefox', 'webkit'];
const launchTimeoutMs = 30_000;

/** @throws LaunchFault */
async function launchOwnBrowser(options: LaunchOptions): Promise<OwnBrowser> {
  const { playwright, name, headed } = options;
  const kind = browserNames.includes(name) ? (name as BrowserName) : 'chromium';
  const executablePath = kind === 'chromium' ? findChromiumPath(options) : findInstalledPath(playwright, kind);
  const runTag = `--recipewright-run=${randomUUID()}`;
  const scratch = new TemporaryDirectory();
  try {
    const browser = await playwright[kind].launch({
      ...{ headless: !headed, timeout: launchTimeoutMs, ...(executablePath === undefined ? {} : { executablePath }) },
      // A signal ends the run, and the end of the run ends the browser.
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
      // Chromium passes over a word that it does not know; we find its profile by it.
      ...{ env: { ...process.env, TMPDIR: scratch.path }, artifactsDir: scratch.path, args: kind === 'chromium' ? [runTag] : [] },
    });
    // Playwright removes the profile when it has time to; the end of a browser that dies may be the end of this process.
    const profile = findArguments(runTag)?.find((word) => word.startsWith(profileFlag));
    if (profile) scratch.add(profile.slice(profileFlag.length));
    scratch.removeAfterOthers();
    return { browser, scratch };
  } catch (thrown) {
    scratch.remove();
    throw notStartedError(thrown, headed);
  }
}

const profileFlag = '--user-data-dir=';

/** Undefined where Playwright finds its own. */
function findChromiumPath({ playwright, name, projectRoot, advice }: LaunchOptions): string | undefined {
  if (!browserNames.includes(name)) return checkBrowserPath(resolve(projectRoot, name), advice);
  try {
    const found = findChromium({ playwrightPath: () => playwright.chromium.executablePath() });
    if (found) return found.executablePath;
  } catch (thrown) {
    // RECIPEWRIGHT_BROWSER names no file: the first line says so, the second what to do.
    const [problem = '', ...remedy] = (thrown as Error).message.split('\n');
    throw new LaunchError('run.no_browser', problem, remedy.join(' '), { cause: thrown });
  }
  const message = 'There is no Chromium: neither that of Playwright nor one of this machine.';
  throw new LaunchError('run.no_browser', message, advice);
}

function checkBrowserPath(file: string, advice: string): string {
  if (isFile(file)) return file;
  throw new LaunchError(
    'run.no_browser',
    `The browser is to be ${file}, and there is no such file.`,
    `Name another one. ${advice}`,
  );
}

// Playwright would make its directories first, and leave them.
function findInstalledPath(playwright: Playwright, kind: BrowserName): string {
  const file = playwright[kind].executablePath();
  if (isFile(file)) return file;
  const message = `${kind} is not installed: there is no ${file}.`;
  throw new LaunchError('run.no_browser', message, `Install it by "npx playwright install ${kind}".`);
}

function notStartedError(thrown: unknown, headed: boolean): LaunchError {
  const hint = headed
    ? 'Leave out --headed, or run it where there is a display, such as by "xvfb-run".'
    : 'Start it by hand to see what it lacks, or name another one by --browser.';
  return new LaunchError('run.browser_not_started', `The browser did not start: ${summarizeError(thrown)}`, hint, {
    cause: thrown,
  });
}
