// The browser, page and server that the tests of one file about ui.* actions share.
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { closeContexts, freshPage, sharedChromium } from './chromium.js';
import { type Pages, servePages } from './pages.js';

export type UiPage = {
  browser: Browser;
  page: Page;
  pages: Pages;
  open(html: string): { action: string; url: string };
  title(): Promise<string>;
};

export async function uiPage(): Promise<UiPage> {
  const pages = await servePages();
  const ui: UiPage = {
    ...({} as Pick<UiPage, 'browser' | 'page'>),
    pages,
    open: (html) => ({ action: 'ui.navigate', url: pages.url(html) }),
    title: () => ui.page.title(),
  };
  beforeAll(async () => {
    ui.browser = await sharedChromium();
    ui.page = await freshPage(ui.browser);
  });
  beforeEach(() => runPagesOf(ui.page).stopListening());
  afterAll(async () => {
    await closeContexts(ui.browser);
    pages.close();
  });
  return ui;
}
