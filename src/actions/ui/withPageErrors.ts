// Page calls of a node: bounded by its deadline, and told apart by whose failure they are.
import { stripVTControlCharacters } from 'node:util';
import type { Page } from '@playwright/test';
import { type RunPages, runPagesOf } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { onAbort } from '../../system/onAbort.js';
import type { ActionContext } from '../action.js';

/** The page that is looked at now, which a former node may have changed. */
export function pageOf({ fixtures }: ActionContext): Page {
  return runPagesOf(fixtures.page as Page).page;
}

/** How long the page may take, so that what is there instead can be said before the node's time is over. */
export function pageTimeoutMs({ remainingMs }: ActionContext): number {
  const left = remainingMs();
  return Math.max(1, Math.round(left - Math.min(400, left / 6)));
}

/** A call whose own timeout has just ended may be heard after the deadline of its node, and says more than that nobody answered. */
const lateErrorMs = 600;

/**
 * Runs page calls; what the page refused is the product's failure, a browser that went away is the environment's. Not every call
 * of Playwright has a timeout, and a page that hangs answers none.
 */
export function withPageErrors<T>(calls: () => Promise<T>, context: ActionContext): Promise<T> {
  const { signal } = context;
  const page = pageOf(context);
  const stage = runPagesOf(page);
  if (stage.lostError) return Promise.reject(stage.lostError);
  if (signal.aborted) return Promise.reject(noAnswer(page));
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      withdraw();
      stopListening();
      withdrawGiveUp();
      settle();
    };
    const withdraw = stage.onLost((why) => end(() => reject(why)));
    const giveUp = (): void => end(() => reject(noAnswer(stage.page)));
    let withdrawGiveUp = (): void => undefined;
    const stopListening = onAbort(signal, () => {
      if (signal.reason instanceof RecipeError) withdrawGiveUp = context.clock.after(lateErrorMs, giveUp);
      else giveUp();
    });
    const failed = (thrown: unknown): void => end(() => void classifyError(thrown, page).then(reject, reject));
    try {
      calls().then((value) => end(() => resolve(value)), failed);
    } catch (thrown) {
      failed(thrown);
    }
  });
}

async function classifyError(thrown: unknown, page: Page): Promise<unknown> {
  if (thrown instanceof RecipeError || !(thrown instanceof Error)) return thrown;
  const message = stripVTControlCharacters(thrown.message);
  const error = targetClosedMessage.test(thrown.message)
    ? await explainClosedTarget(message, page)
    : new RecipeError('ui.refused', 'action', message);
  // Playwright shows the first line of a stack that lies outside of node_modules: keep where the call was made.
  if (thrown.stack) error.stack = thrown.stack;
  return error;
}

const targetClosedMessage =
  /Target (page, context or browser has been closed|crashed|closed)|browser has been closed|Browser closed|Page crashed/;

function noAnswer(page: Page): RecipeError {
  return new RecipeError(
    'ui.no_answer',
    'action',
    `The page ${page.url()} did not answer until the time of the node was over. A script that never ends, or a long task, keeps a page from answering.`,
  );
}

/** A page that closed itself is the product's doing: its browser still answers. */
async function explainClosedTarget(message: string, page: Page): Promise<RecipeError> {
  const { lostError } = runPagesOf(page);
  if (lostError) return lostError;
  const isAlive =
    page.isClosed() &&
    (await page
      .context()
      .cookies('http://127.0.0.1/')
      .then(() => true, isUnreachable));
  if (!isAlive)
    return new RecipeError('ui.browser_gone', 'environment', `${message}\nThe browser went away. Run the recipe again.`);
  return new RecipeError(
    'ui.page_closed',
    'action',
    `${message}\nThe page closed while the node looked at it. Look at another page with cdp.target, or see why it closes.`,
  );
}

// "Target page, context or browser has been closed": there is nobody to ask any more.
const isUnreachable = (_: Error): boolean => false;

/** The pages of the run, which nodes before may have changed. */
export function currentRunPages(context: ActionContext): RunPages {
  return runPagesOf(pageOf(context));
}
