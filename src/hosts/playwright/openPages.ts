// The pages of a run in a Playwright test: which one is looked at, and who looks on.
import type { Page, TestInfo } from '@playwright/test';
import { openPageRecorder, type PageRecorder } from '../../browser/pageRecorder.js';
import { RunPages } from '../../browser/runPages.js';
import type { Ready } from '../plain/prepareRun.js';
import { recordingOptions, secretsFinderOf } from '../plain/recordingOptions.js';
import { baseOf } from '../shared/baseOf.js';
import { attachedPort } from './attachedPort.js';
import type { Looks } from './hostProject.js';
import { takeContext } from './takeContext.js';

export type Pages = {
  fixtures: Readonly<Record<string, unknown>>;
  onlooker?: PageRecorder;
  close(): Promise<void>;
  leave(): void;
};

export type PagesRequest = Pick<Ready, 'loaded' | 'secrets' | 'registry'> & {
  id: string;
  fixtures: Readonly<Record<string, unknown>>;
  looks: Looks;
};

/** A recipe without a page has nobody who looks on. */
export function openPages({ id, fixtures, looks, ...run }: PagesRequest, testInfo: TestInfo): Pages {
  const page = fixtures.page as Page | undefined;
  if (page === undefined) return { fixtures, close: async () => undefined, leave: () => undefined };
  const release = takeContext(page.context(), id);
  const { headless, launchOptions, baseURL } = testInfo.project.use;
  const isOwn = attachedPort() === undefined;
  const stage = new RunPages(page, { isOwn, secretsIn: secretsFinderOf(run), ...(isOwn ? {} : baseOf(page.url(), baseURL)) });
  const headed = (headless ?? launchOptions?.headless) === false;
  // Whatever the mode of "video" is, a page knows whether it is filmed in this attempt.
  const isFilmed = page.video() !== null;
  const onlooker = openPageRecorder(stage, { ...recordingOptions({ ...run, browser: { headed }, isFilmed }), ...looks });
  return {
    // Nodes may look at another page than the first.
    fixtures: Object.defineProperty({ ...fixtures }, 'page', { get: () => stage.page, enumerable: true }),
    onlooker,
    async close() {
      await onlooker.close().finally(release);
      stage.handOverDialogs();
    },
    leave: () => stage.stopListening(),
  };
}
