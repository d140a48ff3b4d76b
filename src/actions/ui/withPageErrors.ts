// Runs calls to the page within the timeout of the node, and classifies their errors: failures of the app or of the environment.
import { stripVTControlCharacters } from 'node:util';
import type { Page } from '@playwright/test';
import { type RunPages, runPagesOf } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { onAbort } from '../../system/onAbort.js';
import type { ActionContext } from '../action.js';

/** The current page. An earlier node may have switched to it. */
export function pageOf({ fixtures }: ActionContext): Page {
  return runPagesOf(fixtures.page as Page).page;
}

/** The timeout for a page call. It leaves time to describe the page in the error message before the node times out. */
export function pageTimeoutMs({ remainingMs }: ActionContext): number {
  const nodeMs = remainingMs();
  return Math.max(1, Math.round(nodeMs - Math.min(400, nodeMs / 6)));
}

/** The timeout error of a call may arrive just after the node's timeout. It explains more than "did not respond". */
const lateErrorMs = 600;

/**
 * An error of the page is a failure of the app, a lost browser one of the environment. Also ends calls that Playwright gives no
 * timeout and that a page that hangs would never answer.
 */
export function withPageErrors<T>(calls: () => Promise<T>, context: ActionContext): Promise<T> {
  const { signal } = context;
  const page = pageOf(context);
  const runPages = runPagesOf(page);
  if (runPages.lostError) return Promise.reject(runPages.lostError);
  if (signal.aborted) return Promise.reject(noResponseError(page));
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const finish = (settle: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      stopListeningForLoss();
      stopListeningForAbort();
      cancelTimer();
      settle();
    };
    const stopListeningForLoss = runPages.onLost((lostError) => finish(() => reject(lostError)));
    const giveUp = (): void => finish(() => reject(noResponseError(runPages.page)));
    let cancelTimer = (): void => undefined;
    const stopListeningForAbort = onAbort(signal, () => {
      if (signal.reason instanceof RecipeError) cancelTimer = context.clock.after(lateErrorMs, giveUp);
      else giveUp();
    });
    const onError = (thrown: unknown): void => finish(() => void classifyError(thrown, page).then(reject, reject));
    try {
      calls().then((value) => finish(() => resolve(value)), onError);
    } catch (thrown) {
      onError(thrown);
    }
  });
}

async function classifyError(thrown: unknown, page: Page): Promise<unknown> {
  if (thrown instanceof RecipeError || !(thrown instanceof Error)) return thrown;
  const message = stripVTControlCharacters(thrown.message);
  const error = targetClosedMessage.test(thrown.message)
    ? await explainClosedTarget(message, page)
    : new RecipeError('ui.refused', 'action', message);
  // Playwright's reports show the first stack frame outside node_modules, so the stack of the call is kept.
  if (thrown.stack) error.stack = thrown.stack;
  return error;
}

const targetClosedMessage =
  /Target (page, context or browser has been closed|crashed|closed)|browser has been closed|Browser closed|Page crashed/;

function noResponseError(page: Page): RecipeError {
  return new RecipeError(
    'ui.no_answer',
    'action',
    `The page ${page.url()} did not respond before the node timed out. Check the page for an endless script or a long task.`,
  );
}

/** If the browser still responds, the app closed the page itself. */
async function explainClosedTarget(message: string, page: Page): Promise<RecipeError> {
  const { lostError } = runPagesOf(page);
  if (lostError) return lostError;
  const isAlive =
    page.isClosed() &&
    (await page
      .context()
      .cookies('http://127.0.0.1/')
      .then(() => true, returnFalse));
  if (!isAlive)
    return new RecipeError('ui.browser_gone', 'environment', `${message}\nThe browser disconnected. Run the recipe again.`);
  return new RecipeError(
    'ui.page_closed',
    'action',
    `${message}\nThe page closed while the node used it. Switch to another page with cdp.target, or check why the page closes.`,
  );
}

// "Target page, context or browser has been closed": the browser does not respond.
const returnFalse = (_: Error): boolean => false;

/** The pages of the run. */
export function currentRunPages(context: ActionContext): RunPages {
  return runPagesOf(pageOf(context));
}
