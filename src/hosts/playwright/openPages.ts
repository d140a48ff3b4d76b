// The pages of a run in a Playwright test, and their recorder.
import type { BrowserContext, Page, TestInfo } from '@playwright/test';
import { openPageRecorder, type PageRecorder } from '../../browser/pageRecorder.js';
import { RunPages } from '../../browser/runPages.js';
import type { Job } from '../../run/job.js';
import { findBaseUrl } from '../shared/attachedApp.js';
import { recordingOptions, secretsFinderOf } from '../shared/recordingOptions.js';
import { findAttachedPort } from './attachedPort.js';
import type { RecordingOverrides } from './hostProject.js';

type TestPages = {
  /** The base URL of the attached app. */
  baseURL?: string | undefined;
  fixtures: Readonly<Record<string, unknown>>;
  pageRecorder?: PageRecorder;
  close(): Promise<void>;
  stopListening(): void;
};

type TestPagesRequest = Pick<Job, 'loaded' | 'secrets' | 'registry'> & {
  id: string;
  fixtures: Readonly<Record<string, unknown>>;
  recordingOverrides: RecordingOverrides;
};

/** Without the fixture `page`, there is nothing to record, and the result has no recorder. */
export function openPages({ id, fixtures, recordingOverrides, ...run }: TestPagesRequest, testInfo: TestInfo): TestPages {
  const page = fixtures.page as Page | undefined;
  if (page === undefined) return { fixtures, close: async () => undefined, stopListening: () => undefined };
  const release = claimContext(page.context(), id);
  const { headless, launchOptions, baseURL } = testInfo.project.use;
  const isOwn = findAttachedPort() === undefined;
  const runPages = new RunPages(page, {
    isOwn,
    secretsIn: secretsFinderOf(run),
    ...(isOwn ? {} : findBaseUrl(page.url(), baseURL)),
  });
  const headed = (headless ?? launchOptions?.headless) === false;
  // The option "video" has modes that depend on the attempt, but the page always says whether it is recorded.
  const isVideoRecorded = page.video() !== null;
  const pageRecorder = openPageRecorder(runPages, {
    ...recordingOptions({ ...run, browser: { headed }, isVideoRecorded }),
    ...recordingOverrides,
  });
  return {
    // A getter, because a node may switch to another page.
    fixtures: Object.defineProperty({ ...fixtures }, 'page', { get: () => runPages.page, enumerable: true }),
    pageRecorder,
    baseURL: runPages.options.baseURL,
    async close() {
      await pageRecorder.close().finally(release);
      runPages.handOverDialogs();
    },
    stopListening: () => runPages.stopListening(),
  };
}

// Popups, dialogs and errors belong to the browser context: two recipes in one context could not tell whose they are.
const recipeByContext = new WeakMap<BrowserContext, string>();

/**
 * Returns a function that releases the context.
 * @throws while another recipe runs there
 */
function claimContext(context: BrowserContext, id: string): () => void {
  const other = recipeByContext.get(context);
  if (other !== undefined) {
    const conflict = `${id} cannot run at the same time as ${other}, because their pages share one browser context.`;
    throw new Error(
      `${conflict} Await the first run, or pass each run a page of its own context: (await browser.newContext()).newPage().`,
    );
  }
  recipeByContext.set(context, id);
  return () => recipeByContext.delete(context);
}
