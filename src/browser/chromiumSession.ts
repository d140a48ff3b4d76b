// Opens CDP sessions, for features that only Chromium has.
import type { CDPSession, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';

const sessions = new WeakMap<Page, Promise<CDPSession>>();

export function isChromium(page: Page): boolean {
  // Only Electron and persistent profiles have a context without a browser. Both are Chromium.
  const name = page.context().browser()?.browserType().name() ?? 'chromium';
  return name === 'chromium';
}

/** One session per page, never detached: settings of a session end with it. */
export async function openChromiumSession(page: Page): Promise<CDPSession> {
  if (!isChromium(page)) throw notChromiumError(page);
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  // After a failure, the next caller tries again.
  session.catch(() => sessions.delete(page));
  return session;
}

export function notChromiumError(page: Page): RecipeError {
  const name = page.context().browser()?.browserType().name();
  const message = `This action needs Chromium, but the browser is ${name}. Run the recipe in Chromium, Chrome or Edge.`;
  return new RecipeError('cdp.not_chromium', 'environment', message);
}
