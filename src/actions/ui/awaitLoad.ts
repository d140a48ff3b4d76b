// Waits until a page is there as far as it is asked for.
import type { Page } from '@playwright/test';
import { runPagesOf } from '../../browser/runPages.js';
import type { ActionContext } from '../action.js';

/**
 * Of a page that the browser had kept whole when it was left no load is told when it comes back: so the page is asked first.
 * A browser that Playwright starts keeps none.
 */
export async function awaitLoad(
  context: ActionContext,
  page: Page,
  { state, timeout }: { state: 'load' | 'domcontentloaded'; timeout: number },
): Promise<void> {
  const isThere = !runPagesOf(page).options.isOwn && (await isComplete(context, page));
  if (!isThere) await context.call(page, 'waitForLoadState', state, { timeout });
}

async function isComplete(context: ActionContext, page: Page): Promise<boolean> {
  const answer: unknown = await context.call(page, 'evaluate', `document.readyState === 'complete'`).catch(wentOn);
  return answer === true;
}

// "Execution context was destroyed": the page went on by itself, and what it went on to is waited for.
const wentOn = (_: Error): boolean => false;
