// The pages of a run in a Playwright test: which one is looked at, and who looks on.
import type { BrowserContext, Page, TestInfo } from '@playwright/test';
import { openPageRecorder, type PageRecorder } from '../../browser/pageRecorder.js';
import { RunPages } from '../../browser/runPages.js';
import type { Job } from '../../run/job.js';
import { findBaseUrl } from '../shared/attachedApp.js';
import { recordingOptions, secretsFinderOf } from '../shared/recordingOptions.js';
import { findAttachedPort } from './attachedPort.js';
import type { RecordingOverrides } from './hostProject.js';

export type TestPages = {
  fixtures: Readonly<Record<string, unknown>>;
  onlooker?: PageRecorder;
  close(): Promise<void>;
  stopListening(): void;
};

export type TestPagesRequest = Pick<Job, 'loaded' | 'secrets' | 'registry'> & {
  id: string;
  fixtures: Readonly<Record<string, unknown>>;
  recordingOverrides: RecordingOverrides;
};

/** A recipe without a page has nobody who looks on. */
export function openPages({ id, fixtures, recordingOverrides, ...run }: TestPagesRequest, testInfo: TestInfo): TestPages {
  const page = fixtures.page as Page | undefined;
  if (page === undefined) return { fixtures, close: async () => undefined, stopListening: () => undefined };
  const release = claimContext(page.context(), id);
  const { headless, launchOptions, baseURL } = testInfo.project.use;
  const isOwn = findAttachedPort() === undefined;
  const stage = new RunPages(page, {
    isOwn,
    secretsIn: secretsFinderOf(run),
    ...(isOwn ? {} : findBaseUrl(page.url(), baseURL)),
  });
  const headed = (headless ?? launchOptions?.headless) === false;
  // Whatever the mode of "video" is, a page knows whether it is filmed in this attempt.
  const isFilmed = page.video() !== null;
  const onlooker = openPageRecorder(stage, {
    ...recordingOptions({ ...run, browser: { headed }, isFilmed }),
    ...recordingOverrides,
  });
  return {
    // Nodes may look at another page than the first.
    fixtures: Object.defineProperty({ ...fixtures }, 'page', { get: () => stage.page, enumerable: true }),
    onlooker,
    async close() {
      await onlooker.close().finally(release);
      stage.handOverDialogs();
    },
    stopListening: () => stage.stopListening(),
  };
}

// Popups, dialogs and errors come from a whole browser context: of two recipes in one, neither could say what is its own.

const recipeByContext = new WeakMap<BrowserContext, string>();

/**
 * The function it gives lets the next one in.
 * @throws while another recipe runs there
 */
export function claimContext(context: BrowserContext, id: string): () => void {
  const other = recipeByContext.get(context);
  if (other !== undefined) {
    const conflict = `${id} cannot run while ${other} does: their pages are of the same browser context, so each would see what the other one did.`;
    throw new Error(
      `${conflict} Await the first one, or give each a page of its own context: (await browser.newContext()).newPage().`,
    );
  }
  recipeByContext.set(context, id);
  return () => recipeByContext.delete(context);
}
