// Calls a function that a project registered for its manifests.
import { RecipeError, toRecipeError } from '../../../evidence/failure.js';

/** What it throws is a failure of what is tested, as it is for a program that ends with an error. */
export async function handled<T>(who: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RecipeError) throw thrown;
    const { code, kind, message } = toRecipeError(thrown);
    if (kind === 'assertion') throw new RecipeError(code, kind, `${who}: ${message}`, undefined, { cause: thrown });
    throw new RecipeError('runtime.handler_failed', 'action', `${who} failed: ${message}`, undefined, { cause: thrown });
  }
}
