// Splits the answer of an agent, a function or a program into its output and its changes of the state.

import { RecipeError } from '../../../evidence/recipeError.js';
import { isObject } from '../python/pythonJson.js';

/**
 * An object `{ output, state }` has both parts. Any other object is the output and the change. Any other value is only the
 * output.
 */
export function parseAgentResult(who: string, answer: unknown): NodeResult {
  const value = toJson(who, answer);
  if (!isObject(value)) return { output: value };
  const keys = Object.keys(value);
  const isExplicit = keys.length > 0 && keys.every((key) => key === 'output' || key === 'state');
  if (!isExplicit) return { output: value, update: value };
  const { output = null, state } = value;
  if (state === undefined) return { output };
  if (isObject(state)) return { output, update: state };
  const message = `${who} returned ${JSON.stringify(state)} as "state". Return an object with the keys to change.`;
  throw new RecipeError('runtime.bad_answer', 'action', message);
}

function toJson(who: string, answer: unknown): unknown {
  if (answer === undefined) return null;
  try {
    const text = JSON.stringify(answer) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // TypeError for a cycle or a bigint. The error below reports it.
  }
  const message = `${who} returned a value that is not JSON (${typeof answer}). Return strings, numbers, booleans, lists, objects or null.`;
  throw new RecipeError('runtime.bad_answer', 'action', message);
}

export type Dict = Readonly<Record<string, unknown>>;

/** `details` are more fields for the trace. */
export type NodeResult = { output: unknown; update?: Dict | undefined; details?: Dict };
