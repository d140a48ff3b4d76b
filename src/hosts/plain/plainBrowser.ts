// Starts and ends the browser of a run without a test runner. Loaded only when a node needs a page.
import { type LaunchAdvice, type LaunchedBrowser, launchBrowser } from '../../browser/launch/launchBrowser.js';
import { LaunchError } from '../../browser/launch/launchError.js';
import { openPageRecorder, type PageRecorder } from '../../browser/pageRecorder.js';
import { restoreApp } from '../../browser/pageSettings.js';
import { RunPages } from '../../browser/runPages.js';
import type { Finding } from '../../document/finding.js';
import { exitCodes, signalExitCodes } from '../../evidence/failureTable.js';
import { fixes } from '../../run/doctor/doctorCheck.js';
import type { Host } from '../../run/host.js';
import { systemClock } from '../../system/clock.js';
import { onSignals } from '../../system/processes/processEvents.js';
import { findBaseUrl } from '../shared/attachedApp.js';
import { portRecordingOptions, recordingOptions, secretsFinderOf } from '../shared/recordingOptions.js';
import { createFileFinding } from '../shared/refusedRun.js';
import type { Ready } from './prepareRun.js';

/** `baseURL`: the configured base URL, or the origin of the attached app. Undefined for our own browser. */
export type OpenBrowser = { baseURL?: string; fixtures: Host['fixtures']; pageRecorder: PageRecorder; close(): Promise<void> };

export type BrowserRefusal = { refused: Finding; exitCode: number };

const advice: LaunchAdvice = { playwright: fixes['tools.playwright'] ?? '', browser: fixes['tools.browser'] ?? '' };

/** How long an interrupted run waits for a browser that is still starting, or for an attached app to answer. */
const closeTimeoutMs = 2_000;

/** `signals`: whether SIGINT, SIGTERM or SIGHUP end the start of the browser. */
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
    pendingSignal?.stopListening();
  }
}

function attachRunPages(launched: LaunchedBrowser, ready: Ready): OpenBrowser {
  const { isOwn, page } = launched;
  const base = isOwn ? {} : findBaseUrl(page.url(), ready.browser?.baseURL);
  const runPages = new RunPages(page, { isOwn, secretsIn: secretsFinderOf(ready), ...base });
  const pageRecorder = openPageRecorder(runPages, launched.isPortOnly ? portRecordingOptions(ready) : recordingOptions(ready));
  return {
    ...base,
    // Getters, because a node may switch to another page.
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
      // Restores the settings of an attached app, if the app still answers. Our own browser is closed anyway.
      if (!launched.isOwn) await waitAtMost(closeTimeoutMs, restoreApp(runPages));
      runPages.stopListening();
      await launched.close();
    },
  };
}

function awaitSignal(): { signal: Promise<string>; stopListening(): void } {
  let stopListening = (): void => undefined;
  const signal = new Promise<string>((resolve) => {
    stopListening = onSignals(resolve);
  });
  return { signal, stopListening: () => stopListening() };
}

async function closeInterrupted(file: string, signal: string, launching: Promise<LaunchedBrowser>): Promise<BrowserRefusal> {
  // A browser that fails to start leaves nothing to close.
  const closing = launching.then((launched) => launched.close()).catch(() => undefined);
  await waitAtMost(closeTimeoutMs, closing);
  const message = `${signal} arrived before the browser had started. The recipe was not run.`;
  return {
    refused: createFileFinding(file, 'run.interrupted', message),
    exitCode: signalExitCodes[signal] ?? exitCodes.environment,
  };
}

async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let cancelTimer = (): void => undefined;
  const timeout = new Promise<void>((resolve) => {
    cancelTimer = systemClock.after(ms, resolve);
  });
  await Promise.race([work, timeout]);
  cancelTimer();
}
