// Asks the page which one it is, again when it goes elsewhere meanwhile.
import { inPage } from '../../browser/inPage.js';
import { mostText, readFacts, type Seen, toFacts, wasLeft } from '../../browser/pageFacts.js';
import { stageOf } from '../../browser/stage.js';
import type { ActionContext } from '../action.js';
import { awaitLoad } from './awaitLoad.js';
import { drive, pageOf, patienceMs } from './drive.js';

export async function factsOf(context: ActionContext): Promise<Seen> {
  const page = pageOf(context);
  const ask = () => inPage(context.call, page, { run: readFacts, given: mostText });
  return toFacts(stageOf(page), page, await drive(() => onWhateverComes(context, ask), context));
}

/** A page that is left takes what runs in it along: the next one is asked instead. */
export async function onWhateverComes<T>(context: ActionContext, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      if (context.signal.aborted || !wasLeft(thrown)) throw thrown;
      await awaitLoad(context, pageOf(context), { state: 'domcontentloaded', timeout: patienceMs(context) });
    }
  }
}
