// Branches that may fail, as long as enough of them do not.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import type { BodyResult } from '../action.js';

const count = z.int().min(1);

/** Fields of whoever has branches. */
export const quorumFields = {
  min_successful: count.optional().describe('How many of its branches must succeed; the others may fail.'),
  reach: z
    .enum(['branch', 'root'])
    .optional()
    .describe('How far the failure of one branch goes by the rules of a reference that does not count them.'),
};

type Wanted = { min_successful?: number | undefined; reach?: 'branch' | 'root' | undefined };
type Branches = { body: BodyResult | undefined; of: number };
type Counted = { output: { quorum?: object }; failure?: RecipeError };

/** Only what ran and ended well hands something on: neither what failed nor what was skipped is a success. */
export function countBranches({ min_successful: needed, reach }: Wanted, { body, of }: Branches): Counted {
  if (needed === undefined) return { output: {} };
  const done = body?.streams.size ?? 0;
  const output = { quorum: { needed, done, of, ...(reach ? { reach } : {}) } };
  if (done >= needed) return { output };
  const message = `${done} of ${of} branches succeeded, ${needed} are needed.`;
  return { output, failure: new RecipeError('group.too_few', 'action', message) };
}
