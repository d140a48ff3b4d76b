// Asks the page which one it is, again when it goes elsewhere meanwhile.

import type { Page } from '@playwright/test';
import { evaluateInPage } from '../../browser/pageCalls.js';
import { isNavigationError, maxTextLength, type PageState, readPageFacts, toPageState } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export async function readPageState(context: ActionContext): Promise<PageState> {
  const page = pageOf(context);
  const ask = () => evaluateInPage(context.call, page, { run: readPageFacts, argument: maxTextLength });
  return toPageState(runPagesOf(page), page, await withPageErrors(() => retryOnNewPage(context, ask), context));
}

/** A page that is left takes what runs in it along: the next one is asked instead. */
export async function retryOnNewPage<T>(context: ActionContext, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      if (context.signal.aborted || !isNavigationError(thrown)) throw thrown;
      await awaitLoad(context, pageOf(context), { state: 'domcontentloaded', timeout: pageTimeoutMs(context) });
    }
  }
}

// Waits until a page is there as far as it is asked for.

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
  const answer: unknown = await context.call(page, 'evaluate', `document.readyState === 'complete'`).catch(isLoading);
  return answer === true;
}

// "Execution context was destroyed": the page went on by itself, and what it went on to is waited for.
const isLoading = (_: Error): boolean => false;

// Asks the page something; a page that is just being replaced by the next is asked again.

const pageReplacedMessage = /context was destroyed|because of a navigation/i;

/** `script` is an expression; what it gives is JSON. */
export async function readPage<T>(context: ActionContext, script: string): Promise<T> {
  for (;;) {
    try {
      const read: unknown = await withPageErrors(() => pageOf(context).evaluate(script), context);
      return read as T;
    } catch (thrown) {
      const isReplaced =
        thrown instanceof RecipeError && thrown.code === 'ui.refused' && pageReplacedMessage.test(thrown.message);
      if (!isReplaced || context.signal.aborted) throw thrown;
      const condition = { state: 'domcontentloaded', timeout: context.remainingMs() } as const;
      await withPageErrors(() => awaitLoad(context, pageOf(context), condition), context);
    }
  }
}
