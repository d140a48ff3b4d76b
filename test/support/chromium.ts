// A real Chromium for tests that drive a page without a test host.
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';

export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  return chromium.launch({ ...launchOptions, args: [...args] });
}

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser that all test files of a Vitest worker share. A file closes its contexts, and the next file uses the same
 * browser.
 */
export function sharedChromium(): Promise<Browser> {
  shared ??= startShared();
  return shared;
}

async function startShared(): Promise<Browser> {
  const { launchOptions = {} } = launchOptionsFor(findChromium());
  // Vitest sends its workers SIGTERM and soon after SIGKILL. On a regular exit, Playwright closes the browser and removes its
  // profile.
  process.once('SIGTERM', () => process.exit());
  return chromium.launch({ ...launchOptions, handleSIGTERM: false });
}

/** Closes the contexts of the shared browser at the end of a test file. */
export async function closeContexts(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** Opens a page in a new context with separate storage. */
export async function freshPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}
