// A real Chromium for tests that drive a page without a test host.
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';

export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  return chromium.launch({ ...launchOptions, args: [...args] });
}

/** A page of its own context, with its own storage. */
export async function freshPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}
