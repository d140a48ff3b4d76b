// One browser and one server for a file of tests about recording; each test gets a page, a stage and an onlooker of its own.
import type { Browser, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { SeenEnd, SeenNode, Sighting } from '../../src/browser/onlooker.js';
import { openPageOnlooker, type PageOnlooker, type PageOnlookerOptions } from '../../src/browser/pageOnlooker.js';
import { Stage } from '../../src/browser/stage.js';
import { RecipeError } from '../../src/evidence/failure.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { eventMs } from '../support/patience.js';
import { type HeaderPages, passed, seenNode, serveWithHeaders } from './hudPages.js';

export const shop = `<!doctype html><title>Shop</title><body style="margin:0"><h1>Shop</h1><output>0</output><button style="margin:20px"
  onclick="document.querySelector('output').textContent++">Add</button><div style="height:60px;background:teal"></div>`;

export type Kept = NonNullable<Sighting['captures']>[number];

export class RecordingStage {
  browser!: Browser;
  pages!: HeaderPages;
  page!: Page;
  stage!: Stage;
  onlooker!: PageOnlooker;

  async open(options: Partial<PageOnlookerOptions> = {}, html = shop): Promise<void> {
    await this.page.goto(this.pages.url(html));
    this.record(options);
  }

  record(options: Partial<PageOnlookerOptions> = {}): void {
    this.onlooker = openPageOnlooker(this.stage, { hud: {}, total: 5, record: true, video: 'on', ...options });
  }

  /** What is kept when a node begins, does something and ends. */
  async perform(node: SeenNode, work: () => Promise<unknown> = async () => {}, end: SeenEnd = passed): Promise<Kept[]> {
    await this.onlooker.nodeBegins(node);
    await work();
    return [...((await this.onlooker.nodeEnds(node, end)).captures ?? [])];
  }

  readonly add = (): Promise<void> => this.page.locator('button').click();
}

export function recordingStage(): RecordingStage {
  const lab = new RecordingStage();
  beforeAll(async () => {
    [lab.browser, lab.pages] = [await sharedChromium(), await serveWithHeaders()];
  });
  beforeEach(async () => {
    lab.page = await freshPage(lab.browser, { viewport: { width: 480, height: 300 } });
    // A page on a busy machine is no page that hangs.
    lab.stage = new Stage(lab.page, { isOwn: true, patienceMs: eventMs });
  });
  afterEach(async () => {
    await lab.onlooker.close();
    await lab.page.context().close();
  });
  afterAll(async () => {
    await closeContexts(lab.browser);
    lab.pages.close();
  });
  return lab;
}

export const press = (path: string, proofTarget = 'AC1'): SeenNode =>
  seenNode(path, { record: 'proof_window', phase: 'proof', proofTarget });

export const named = (kept: readonly Kept[]): string[] =>
  kept.map(({ path, nodeId = '', proofTarget, type }) => [type, path, proofTarget, nodeId].filter(Boolean).join(' '));

export const failed = (kind: RecipeError['kind'] = 'action'): SeenEnd => ({
  ...{ final: true, captures: 0 },
  failure: new RecipeError('ui.refused', kind, 'The button is gone.'),
});
