// Evaluates scripts in the page. If the page navigates in the meantime, the script runs again on the new page.

import type { Page } from '@playwright/test';
import { evaluateInPage } from '../../browser/pageCalls.js';
import { isNavigationError, maxTextLength, type PageState, readPageFacts, toPageState } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export async function readPageState(context: ActionContext): Promise<PageState> {
  const page = pageOf(context);
  const readFacts = () => evaluateInPage(context.call, page, { run: readPageFacts, argument: maxTextLength });
  return toPageState(runPagesOf(page), page, await withPageErrors(() => retryOnNewPage(context, readFacts), context));
}

/** Runs `evaluate` again after a navigation, which aborts scripts in the previous page. */
export async function retryOnNewPage<T>(context: ActionContext, evaluate: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await evaluate();
    } catch (thrown) {
      if (context.signal.aborted || !isNavigationError(thrown)) throw thrown;
      await awaitLoad(context, pageOf(context), { state: 'domcontentloaded', timeout: pageTimeoutMs(context) });
    }
  }
}

/**
 * Waits for a load state. In an attached app, first reads the state from the page: for a page that comes back from the
 * back/forward cache, Chromium reports no load event. A browser that Playwright starts has no such cache.
 */
export async function awaitLoad(
  context: ActionContext,
  page: Page,
  { state, timeout }: { state: 'load' | 'domcontentloaded'; timeout: number },
): Promise<void> {
  const hasLoaded = !runPagesOf(page).options.isOwn && (await isComplete(context, page));
  if (!hasLoaded) await context.call(page, 'waitForLoadState', state, { timeout });
}

async function isComplete(context: ActionContext, page: Page): Promise<boolean> {
  const result: unknown = await context.call(page, 'evaluate', `document.readyState === 'complete'`).catch(returnFalse);
  return result === true;
}

// "Execution context was destroyed": the page navigates, so the new page is still loading.
const returnFalse = (_: Error): boolean => false;

const pageReplacedMessage = /context was destroyed|because of a navigation/i;

/** Evaluates `script`, an expression with a JSON value. Evaluates it again if the page navigates in the meantime. */
export async function readPage<T>(context: ActionContext, script: string): Promise<T> {
  for (;;) {
    try {
      const value: unknown = await withPageErrors(() => pageOf(context).evaluate(script), context);
      return value as T;
    } catch (thrown) {
      const isReplaced =
        thrown instanceof RecipeError && thrown.code === 'ui.refused' && pageReplacedMessage.test(thrown.message);
      if (!isReplaced || context.signal.aborted) throw thrown;
      const condition = { state: 'domcontentloaded', timeout: context.remainingMs() } as const;
      await withPageErrors(() => awaitLoad(context, pageOf(context), condition), context);
    }
  }
}
