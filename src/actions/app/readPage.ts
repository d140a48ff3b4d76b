// Asks the page something; a page that is just being replaced by the next is asked again.
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { awaitLoad } from '../ui/awaitLoad.js';
import { drive, pageOf } from '../ui/drive.js';

const replaced = /context was destroyed|because of a navigation/i;

/** `script` is an expression; what it gives is JSON. */
export async function readPage<T>(context: ActionContext, script: string): Promise<T> {
  for (;;) {
    try {
      const read: unknown = await drive(() => pageOf(context).evaluate(script), context);
      return read as T;
    } catch (thrown) {
      const isReplaced = thrown instanceof RecipeError && thrown.code === 'ui.refused' && replaced.test(thrown.message);
      if (!isReplaced || context.signal.aborted) throw thrown;
      const wanted = { state: 'domcontentloaded', timeout: context.remainingMs() } as const;
      await drive(() => awaitLoad(context, pageOf(context), wanted), context);
    }
  }
}
