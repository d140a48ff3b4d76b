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
import { baseOf } from '../shared/baseOf.js';
import { atFile } from '../shared/refused.js';
import { listeningTo, lookingOn, lookoutOf } from './lookingOn.js';
import type { Ready } from './prepareRun.js';

export type OpenBrowser = { fixtures: Host['fixtures']; onlooker: PageRecorder; close(): Promise<void> };

export type NotOpened = { refused: Finding; exitCode: number };

const advice: LaunchAdvice = { playwright: fixes['tools.playwright'] ?? '', browser: fixes['tools.browser'] ?? '' };

/** How long a browser that is just starting is waited for when nobody wants it any more. */
const patienceMs = 2_000;

/** `signals`: somebody may want the run to end while it starts. */
export async function openBrowser(ready: Ready, signals: boolean): Promise<OpenBrowser | NotOpened> {
  const { file, projectRoot, browser = {}, driver } = ready;
  const heard = signals ? hearSignal() : undefined;
  const launching = launchBrowser(browser, { projectRoot, advice, driver });
  try {
    const first = await Promise.race([launching, ...(heard ? [heard.signal] : [])]);
    return typeof first === 'string' ? await interrupted(file, first, launching) : furnish(first, ready);
  } catch (thrown) {
    if (!(thrown instanceof LaunchError)) throw thrown;
    return { refused: atFile(file, thrown.code, thrown.message, thrown.hint), exitCode: exitCodes.environment };
  } finally {
    heard?.withdraw();
  }
}

function furnish(launched: LaunchedBrowser, ready: Ready): OpenBrowser {
  const { isOwn, page } = launched;
  const base = isOwn ? {} : baseOf(page.url(), ready.browser?.baseURL);
  const stage = new RunPages(page, { isOwn, secretsIn: lookoutOf(ready), ...base });
  const onlooker = openPageRecorder(stage, launched.isPortOnly ? listeningTo(ready) : lookingOn(ready));
  return {
    // Nodes may look at another page than the first.
    fixtures: {
      get page() {
        return stage.page;
      },
      get context() {
        return stage.context;
      },
      get browser() {
        return stage.context.browser();
      },
    },
    onlooker,
    async close() {
      await onlooker.close();
      // What is ours ends whole; an app that was attached to is left as it was found, as far as it still answers.
      if (!launched.isOwn) await within(patienceMs, restoreApp(stage));
      stage.stopListening();
      await launched.close();
    },
  };
}

function hearSignal(): { signal: Promise<string>; withdraw(): void } {
  let withdraw = (): void => undefined;
  const signal = new Promise<string>((resolve) => {
    withdraw = onSignals(resolve);
  });
  return { signal, withdraw: () => withdraw() };
}

async function interrupted(file: string, signal: string, launching: Promise<LaunchedBrowser>): Promise<NotOpened> {
  // A browser that fails to start meanwhile leaves nothing to close.
  const closing = launching.then((launched) => launched.close()).catch(() => undefined);
  await within(patienceMs, closing);
  const message = `${signal} came before the browser was there. Nothing was run.`;
  return { refused: atFile(file, 'run.interrupted', message), exitCode: signalExitCodes[signal] ?? exitCodes.environment };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let withdraw = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    withdraw = systemClock.after(ms, resolve);
  });
  await Promise.race([work, late]);
  withdraw();
}
