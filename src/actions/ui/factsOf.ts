// Asks the page which one it is, again when it goes elsewhere meanwhile.
import { evaluateInPage } from '../../browser/pageCalls.js';
import { isNavigationError, maxTextLength, type PageState, readPageFacts, toPageState } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import type { ActionContext } from '../action.js';
import { awaitLoad } from './awaitLoad.js';
import { drive, pageOf, patienceMs } from './drive.js';

export async function factsOf(context: ActionContext): Promise<PageState> {
  const page = pageOf(context);
  const ask = () => evaluateInPage(context.call, page, { run: readPageFacts, argument: maxTextLength });
  return toPageState(runPagesOf(page), page, await drive(() => onWhateverComes(context, ask), context));
}

/** A page that is left takes what runs in it along: the next one is asked instead. */
export async function onWhateverComes<T>(context: ActionContext, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      if (context.signal.aborted || !isNavigationError(thrown)) throw thrown;
      await awaitLoad(context, pageOf(context), { state: 'domcontentloaded', timeout: patienceMs(context) });
    }
  }
}
