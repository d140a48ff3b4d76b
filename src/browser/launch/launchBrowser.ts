// Provides the browser of a run without a test runner: starts one, or attaches to a running app.

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { findChromium } from '../../system/browsers.js';
import { systemClock } from '../../system/clock.js';
import { isFile } from '../../system/files/files.js';
import { TemporaryDirectory } from '../../system/files/temporaryDirectory.js';
import { findArguments } from '../../system/processes/processTable.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
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
  /** Attach to a running app by its debugging port. The app is never closed. */
  cdpPort?: number | undefined;
  /** Base URL for the paths in `ui.navigate`. */
  baseURL?: string | undefined;
  /** With `cdpPort`: a part of the URL or title of the page to begin with. */
  page?: string | undefined;
};

/** `driver`: the action that needs Playwright. Undefined when a debugging port is enough. */
type LaunchContext = { projectRoot: string; advice: LaunchAdvice; driver?: string | undefined };

/** `isPortOnly`: connected without Playwright, so there are no screenshots. */
export type LaunchedBrowser = { page: Page; isOwn: boolean; isPortOnly: boolean; close(): Promise<void> };

/** How to install what is missing, in the same words as the doctor. */
export type LaunchAdvice = { playwright: string; browser: string };

/** A browser that takes longer to close is killed when this process ends. */
const closeMs = 2_000;

/** @throws LaunchError */
export async function launchBrowser(
  options: BrowserOptions,
  { projectRoot, advice, driver }: LaunchContext,
): Promise<LaunchedBrowser> {
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
    const message = `The browser started, but it opened no page: ${summarizeError(thrown)}`;
    throw new LaunchError('run.browser_not_started', message, 'Choose another browser with --browser.', { cause: thrown });
  }
}

async function attachToPort(connect: ConnectToPort, port: number, options: BrowserOptions): Promise<LaunchedBrowser> {
  const app = await attachToApp(connect, port);
  const disconnect = async (): Promise<void> => void (await closeInTime(app.browser));
  try {
    return { page: await app.page(options.page), isOwn: false, isPortOnly: false, close: disconnect };
  } catch (thrown) {
    await disconnect();
    throw thrown;
  }
}

async function closeOwnBrowser({ browser, scratch }: OwnBrowser): Promise<void> {
  // The files of a browser that hangs are removed when this process ends, after Playwright has killed the browser.
  if (await closeInTime(browser)) scratch.remove();
}

function closeInTime(browser: Browser): Promise<boolean> {
  // Closing fails when the browser has crashed, which counts as closed.
  return succeedsWithin(
    systemClock,
    closeMs,
    browser.close().catch(() => undefined),
  );
}

/** `scratch`: all files that the browser writes. */
type OwnBrowser = { browser: Browser; scratch: TemporaryDirectory };

type LaunchOptions = {
  playwright: Playwright;
  name: string;
  headed: boolean;
  /** Base directory for the path of a browser. */
  projectRoot: string;
  /** How to install a Chromium. */
  advice: string;
};

const browserNames: readonly string[] = ['chromium', 'firefox', 'webkit'];
const launchTimeoutMs = 30_000;

/** @throws LaunchError */
async function launchOwnBrowser(options: LaunchOptions): Promise<OwnBrowser> {
  const { playwright, name, headed } = options;
  const kind = browserNames.includes(name) ? (name as BrowserName) : 'chromium';
  const executablePath = kind === 'chromium' ? findChromiumPath(options) : findInstalledPath(playwright, kind);
  const runTag = `--recipewright-run=${randomUUID()}`;
  const scratch = new TemporaryDirectory();
  try {
    const browser = await playwright[kind].launch({
      headless: !headed,
      timeout: launchTimeoutMs,
      ...(executablePath === undefined ? {} : { executablePath }),
      // On a signal, the run ends first and then closes the browser.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: { ...process.env, TMPDIR: scratch.path },
      artifactsDir: scratch.path,
      // Chromium ignores unknown arguments. This one helps to find its profile below.
      args: kind === 'chromium' ? [runTag] : [],
    });
    // Playwright may have no time to remove the profile when the browser dies and this process ends with it.
    const profile = findArguments(runTag)?.find((argument) => argument.startsWith(profileFlag));
    if (profile) scratch.add(profile.slice(profileFlag.length));
    scratch.removeAfterOthers();
    return { browser, scratch };
  } catch (thrown) {
    scratch.remove();
    throw notStartedError(thrown, headed);
  }
}

const profileFlag = '--user-data-dir=';

/** Undefined when Playwright shall use its own browser. */
function findChromiumPath({ playwright, name, projectRoot, advice }: LaunchOptions): string | undefined {
  if (!browserNames.includes(name)) return checkBrowserPath(resolve(projectRoot, name), advice);
  try {
    const found = findChromium({ playwrightPath: () => playwright.chromium.executablePath() });
    if (found) return found.executablePath;
  } catch (thrown) {
    // RECIPEWRIGHT_BROWSER is not a file: the first line of the message is the problem, the others are the hint.
    const [problem = '', ...hintLines] = (thrown as Error).message.split('\n');
    throw new LaunchError('run.no_browser', problem, hintLines.join(' '), { cause: thrown });
  }
  const message = 'There is no Chromium, neither from Playwright nor on this machine.';
  throw new LaunchError('run.no_browser', message, advice);
}

function checkBrowserPath(file: string, advice: string): string {
  if (isFile(file)) return file;
  throw new LaunchError(
    'run.no_browser',
    `The browser ${file} does not exist.`,
    `Check the path, or choose another browser. ${advice}`,
  );
}

// Checks the file before the launch, because a failed launch would leave directories of Playwright behind.
function findInstalledPath(playwright: Playwright, kind: BrowserName): string {
  const file = playwright[kind].executablePath();
  if (isFile(file)) return file;
  const message = `${kind} is not installed: ${file} does not exist.`;
  throw new LaunchError('run.no_browser', message, `Run "npx playwright install ${kind}".`);
}

function notStartedError(thrown: unknown, headed: boolean): LaunchError {
  const hint = headed
    ? 'Remove --headed, or run it with a display, for example with "xvfb-run".'
    : 'Start it by hand to see what is missing, or choose another browser with --browser.';
  return new LaunchError('run.browser_not_started', `The browser did not start: ${summarizeError(thrown)}`, hint, {
    cause: thrown,
  });
}
