// A real Chromium for tests that drive a page without a test host.
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';

export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  return chromium.launch({ ...launchOptions, args: [...args] });
}

let shared: Promise<Browser> | undefined;

/** One browser for all files that a worker of Vitest runs. A file closes its contexts and leaves the browser to the next one. */
export function sharedChromium(): Promise<Browser> {
  shared ??= startShared();
  return shared;
}

async function startShared(): Promise<Browser> {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  // Vitest ends its workers by SIGTERM and, soon after, by SIGKILL. At a regular exit Playwright ends the browser and removes its profile.
  process.once('SIGTERM', () => process.exit());
  return chromium.launch({ ...launchOptions, handleSIGTERM: false });
}

/** What a file of tests does at its end with the browser that it shares. */
export async function closeContexts(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** A page of its own context, with its own storage. */
export async function freshPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}
