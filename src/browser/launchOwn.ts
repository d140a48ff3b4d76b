// A browser that is started for one run and ends with it, with everything it wrote.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Browser } from '@playwright/test';
import { findChromium } from '../system/browsers.js';
import { isFile } from '../system/files/files.js';
import { TemporaryDirectory } from '../system/files/temporaryDirectory.js';
import { findArguments } from '../system/processes/processTable.js';
import { firstWords, LaunchFault } from './launchFault.js';
import type { BrowserName, Playwright } from './launchPlaywright.js';

export type OwnBrowser = { browser: Browser; scratch: TemporaryDirectory };

export type Starting = {
  playwright: Playwright;
  name: string;
  headed: boolean;
  /** What a path is relative to. */
  projectRoot: string;
  /** How to get a Chromium. */
  advice: string;
};

const names: readonly string[] = ['chromium', 'firefox', 'webkit'];
const startMs = 30_000;

/** @throws LaunchFault */
export async function launchOwn(starting: Starting): Promise<OwnBrowser> {
  const { playwright, name, headed } = starting;
  const kind = names.includes(name) ? (name as BrowserName) : 'chromium';
  const executablePath = kind === 'chromium' ? chromiumPath(starting) : installedPath(playwright, kind);
  const mark = `--recipewright-run=${randomUUID()}`;
  const scratch = new TemporaryDirectory();
  try {
    const browser = await playwright[kind].launch({
      ...{ headless: !headed, timeout: startMs, ...(executablePath === undefined ? {} : { executablePath }) },
      // A signal ends the run, and the end of the run ends the browser.
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
      // Chromium passes over a word that it does not know; we find its profile by it.
      ...{ env: { ...process.env, TMPDIR: scratch.path }, artifactsDir: scratch.path, args: kind === 'chromium' ? [mark] : [] },
    });
    // Playwright removes the profile when it has time to; the end of a browser that dies may be the end of this process.
    const profile = findArguments(mark)?.find((word) => word.startsWith(profileFlag));
    if (profile) scratch.add(profile.slice(profileFlag.length));
    scratch.removeAfterOthers();
    return { browser, scratch };
  } catch (thrown) {
    scratch.remove();
    throw notStarted(thrown, headed);
  }
}

const profileFlag = '--user-data-dir=';

/** Undefined where Playwright finds its own. */
function chromiumPath({ playwright, name, projectRoot, advice }: Starting): string | undefined {
  if (!names.includes(name)) return namedPath(resolve(projectRoot, name), advice);
  try {
    const found = findChromium({ playwrightPath: () => playwright.chromium.executablePath() });
    if (found) return found.executablePath;
  } catch (thrown) {
    // RECIPEWRIGHT_BROWSER names no file: the first line says so, the second what to do.
    const [said = '', ...next] = (thrown as Error).message.split('\n');
    throw new LaunchFault('run.no_browser', said, next.join(' '), { cause: thrown });
  }
  const message = 'There is no Chromium: neither that of Playwright nor one of this machine.';
  throw new LaunchFault('run.no_browser', message, advice);
}

function namedPath(file: string, advice: string): string {
  if (isFile(file)) return file;
  throw new LaunchFault(
    'run.no_browser',
    `The browser is to be ${file}, and there is no such file.`,
    `Name another one. ${advice}`,
  );
}

// Playwright would make its directories first, and leave them.
function installedPath(playwright: Playwright, kind: BrowserName): string {
  const file = playwright[kind].executablePath();
  if (isFile(file)) return file;
  const message = `${kind} is not installed: there is no ${file}.`;
  throw new LaunchFault('run.no_browser', message, `Install it by "npx playwright install ${kind}".`);
}

function notStarted(thrown: unknown, headed: boolean): LaunchFault {
  const hint = headed
    ? 'Leave out --headed, or run it where there is a display, such as by "xvfb-run".'
    : 'Start it by hand to see what it lacks, or name another one by --browser.';
  return new LaunchFault('run.browser_not_started', `The browser did not start: ${firstWords(thrown)}`, hint, { cause: thrown });
}
