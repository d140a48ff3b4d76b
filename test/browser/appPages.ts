// One browser and one app for a test file. Each test gets its own browser context.
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { type UiOptions, type UiRun, uiRun } from '../support/uiRun.js';
import { type AppServer, serveApp } from './appServer.js';

type Nodes = Record<string, { action: string; [field: string]: unknown }>;

export type AppPages = {
  browser: Browser;
  page: Page;
  app: AppServer;
  run(nodes: Nodes, options?: UiOptions): Promise<UiRun>;
};

export async function appPages(): Promise<AppPages> {
  const app = await serveApp();
  const pages: AppPages = {
    ...({} as Pick<AppPages, 'browser' | 'page'>),
    app,
    run: (nodes, options) => uiRun(pages.page, nodes, options),
  };
  beforeAll(async () => {
    pages.browser = await sharedChromium();
  });
  beforeEach(async () => {
    const page = await freshPage(pages.browser, { baseURL: app.origin });
    pages.page = page;
    return () => page.context().close();
  });
  afterAll(async () => {
    await closeContexts(pages.browser);
    app.close();
  });
  return pages;
}

export const open = (url: string) => ({ action: 'ui.navigate', url });

export function outputOf(ran: UiRun, id: string): Record<string, unknown> {
  return (ran.ends.get(id)?.output ?? {}) as Record<string, unknown>;
}
