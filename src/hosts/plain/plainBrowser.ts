// The browser of a run without a test host, from the first page to the last trace of it. Loaded only when a node needs a page.
import { type LaunchAdvice, type LaunchedBrowser, launchBrowser } from '../../browser/launch/launchBrowser.js';
import { LaunchError } from '../../browser/launch/launchError.js';
import { openPageRecorder, type PageRecorder } from '../../browser/pageRecorder.js';
import { restoreApp } from '../../browser/pageSettings.js';
import { RunPages } from '../../browser/runPages.js';
import type { Finding } from '../../document/finding.js';
import { exitCodes, signalExitCodes } from '../../evidence/exitCodes.js';
import { fixes } from '../../run/doctor/check.js';
import type { Host } from '../../run/host.js';
import { systemClock } from '../../system/clock.js';
import { onSignals } from '../../system/processes/processEvents.js';
import { findBaseUrl } from '../shared/attachedApp.js';
import { portRecordingOptions, recordingOptions, secretsFinderOf } from '../shared/recordingOptions.js';
import { createFileFinding } from '../shared/refusedRun.js';
import type { Ready } from './prepareRun.js';

export type OpenBrowser = { fixtures: Host['fixtures']; pageRecorder: PageRecorder; close(): Promise<void> };

export type BrowserRefusal = { refused: Finding; exitCode: number };

const advice: LaunchAdvice = { playwright: fixes['tools.playwright'] ?? '', browser: fixes['tools.browser'] ?? '' };

/** How long a browser that is just starting is waited for when nobody wants it any more. */
const closeTimeoutMs = 2_000;

/** `signals`: somebody may want the run to end while it starts. */
export async function openBrowser(ready: Ready, signals: boolean): Promise<OpenBrowser | BrowserRefusal> {
  const { file, projectRoot, browser = {}, driver } = ready;
  const pendingSignal = signals ? awaitSignal() : undefined;
  const launching = launchBrowser(browser, { projectRoot, advice, driver });
  try {
    const first = await Promise.race([launching, ...(pendingSignal ? [pendingSignal.signal] : [])]);
    return typeof first === 'string' ? await closeInterrupted(file, first, launching) : attachRunPages(first, ready);
  } catch (thrown) {
    if (!(thrown instanceof LaunchError)) throw thrown;
    return { refused: createFileFinding(file, thrown.code, thrown.message, thrown.hint), exitCode: exitCodes.environment };
  } finally {
    pendingSignal?.withdraw();
  }
}

function attachRunPages(launched: LaunchedBrowser, ready: Ready): OpenBrowser {
  const { isOwn, page } = launched;
  const base = isOwn ? {} : findBaseUrl(page.url(), ready.browser?.baseURL);
  const runPages = new RunPages(page, { isOwn, secretsIn: secretsFinderOf(ready), ...base });
  const pageRecorder = openPageRecorder(runPages, launched.isPortOnly ? portRecordingOptions(ready) : recordingOptions(ready));
  return {
    // Nodes may look at another page than the first.
    fixtures: {
      get page() {
        return runPages.page;
      },
      get context() {
        return runPages.context;
      },
      get browser() {
        return runPages.context.browser();
      },
    },
    pageRecorder,
    async close() {
      await pageRecorder.close();
      // What is ours ends whole; an app that was attached to is left as it was found, as far as it still answers.
      if (!launched.isOwn) await waitAtMost(closeTimeoutMs, restoreApp(runPages));
      runPages.stopListening();
      await launched.close();
    },
  };
}

function awaitSignal(): { signal: Promise<string>; withdraw(): void } {
  let withdraw = (): void => undefined;
  const signal = new Promise<string>((resolve) => {
    withdraw = onSignals(resolve);
  });
  return { signal, withdraw: () => withdraw() };
}

async function closeInterrupted(file: string, signal: string, launching: Promise<LaunchedBrowser>): Promise<BrowserRefusal> {
  // A browser that fails to start meanwhile leaves nothing to close.
  const closing = launching.then((launched) => launched.close()).catch(() => undefined);
  await waitAtMost(closeTimeoutMs, closing);
  const message = `${signal} came before the browser was there. Nothing was run.`;
  return {
    refused: createFileFinding(file, 'run.interrupted', message),
    exitCode: signalExitCodes[signal] ?? exitCodes.environment,
  };
}

async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let withdraw = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    withdraw = systemClock.after(ms, resolve);
  });
  await Promise.race([work, late]);
  withdraw();
}
