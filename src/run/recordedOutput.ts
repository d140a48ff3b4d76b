// What later nodes read is what the journal says, not an object that the action goes on changing.

import { deepFreeze } from '../engine/deepFreeze.js';
import { RecipeError } from '../evidence/recipeError.js';

export function recordedOutput(output: unknown): unknown {
  if (output === undefined) return undefined;
  if (isFlat(output)) return Object.freeze({ ...output });
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : deepFreeze(JSON.parse(text));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
    throw new RecipeError('action.output_not_json', 'harness', `The output of the action is not JSON: ${why}`, undefined, {
      cause: thrown,
    });
  }
}

/** An object of plain values, which is JSON as it stands: a long text need not be spelled out and read again. */
function isFlat(output: unknown): output is object {
  if (typeof output !== 'object' || output === null || Object.getPrototypeOf(output) !== Object.prototype) return false;
  return Object.values(output).every((value) => {
    return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);
  });
}
