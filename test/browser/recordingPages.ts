// One browser and one server for a test file about recording. Each test gets its own page and recorder.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Observation, ObservedEnd, ObservedNode } from '../../src/browser/nodeObserver.js';
import { openPageRecorder, type PageRecorder, type PageRecorderOptions } from '../../src/browser/pageRecorder.js';
import { RunPages } from '../../src/browser/runPages.js';
import { RecipeError } from '../../src/evidence/recipeError.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { eventMs } from '../support/patience.js';
import { type HeaderPages, observedNode, passed, serveWithHeaders } from './hudPages.js';

export const shop = `<!doctype html><title>Shop</title><body style="margin:0"><h1>Shop</h1><output>0</output><button style="margin:20px"
  onclick="document.querySelector('output').textContent++">Add</button><div style="height:60px;background:teal"></div>`;

export type KeptCapture = NonNullable<Observation['captures']>[number];

export class RecordingPages {
  browser!: Browser;
  pages!: HeaderPages;
  page!: Page;
  runPages!: RunPages;
  recorder!: PageRecorder;

  async open(options: Partial<PageRecorderOptions> = {}, html = shop): Promise<void> {
    await this.page.goto(this.pages.url(html));
    this.record(options);
  }

  record(options: Partial<PageRecorderOptions> = {}): void {
    this.recorder = openPageRecorder(this.runPages, { hud: {}, total: 5, record: true, video: 'on', ...options });
  }

  /** Begins a node, runs `work`, ends the node, and returns all captures of the end. */
  async perform(
    node: ObservedNode,
    work: () => Promise<unknown> = async () => {},
    end: ObservedEnd = passed,
  ): Promise<KeptCapture[]> {
    await this.recorder.nodeBegins(node);
    await work();
    return [...((await this.recorder.nodeEnds(node, end)).captures ?? [])];
  }

  readonly add = (): Promise<void> => this.page.locator('button').click();
}

export function useRecordingPages(): RecordingPages {
  const lab = new RecordingPages();
  beforeAll(async () => {
    [lab.browser, lab.pages] = [await sharedChromium(), await serveWithHeaders()];
  });
  beforeEach(async () => {
    lab.page = await freshPage(lab.browser, { viewport: { width: 480, height: 300 } });
    // Long enough for a busy machine.
    lab.runPages = new RunPages(lab.page, { isOwn: true, answerTimeoutMs: eventMs });
  });
  afterEach(async () => {
    await lab.recorder.close();
    await lab.page.context().close();
  });
  afterAll(async () => {
    await closeContexts(lab.browser);
    lab.pages.close();
  });
  return lab;
}

export const press = (path: string, proofTarget = 'AC1'): ObservedNode =>
  observedNode(path, { record: 'proof_window', phase: 'proof', proofTarget });

export const describeCaptures = (captures: readonly KeptCapture[]): string[] =>
  captures.map(({ path, nodeId = '', proofTarget, type }) => [type, path, proofTarget, nodeId].filter(Boolean).join(' '));

export const failed = (kind: RecipeError['kind'] = 'action'): ObservedEnd => ({
  ...{ final: true, captures: 0 },
  failure: new RecipeError('ui.refused', kind, 'The button is gone.'),
});
