// A CDP session for a page: what only Chromium can do.
import type { CDPSession, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';

const sessions = new WeakMap<Page, Promise<CDPSession>>();

export function isChromium(page: Page): boolean {
  // A context without a browser belongs to Electron or to a profile that is kept, and those are Chromium's.
  const name = page.context().browser()?.browserType().name() ?? 'chromium';
  return name === 'chromium';
}

/** One for each page, kept: what a session sets lasts as long as it does. */
export async function openChromiumSession(page: Page): Promise<CDPSession> {
  if (!isChromium(page)) throw notChromiumError(page);
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  // One that could not be opened is no use to the next who asks.
  session.catch(() => sessions.delete(page));
  return session;
}

export function notChromiumError(page: Page): RecipeError {
  const name = page.context().browser()?.browserType().name();
  const message = `This needs Chromium, but the browser is ${name}. Run the recipe in Chromium, Chrome or Edge.`;
  return new RecipeError('cdp.not_chromium', 'environment', message);
}
