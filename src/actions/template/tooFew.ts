// Branches that may fail, as long as enough of them do not.
import { RecipeError } from '../../evidence/failure.js';
import type { BodyResult } from '../action.js';

type Branches = { body: BodyResult | undefined; of: number };

/** Only what ran and ended well hands something on: neither what failed nor what was skipped is a success. */
export function tooFew(wanted: number | undefined, { body, of }: Branches): { failure?: RecipeError } {
  const done = body?.streams.size ?? 0;
  if (wanted === undefined || done >= wanted) return {};
  return { failure: new RecipeError('group.too_few', 'action', `${done} of ${of} branches succeeded, ${wanted} are needed.`) };
}
