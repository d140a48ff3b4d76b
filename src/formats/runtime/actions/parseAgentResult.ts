// What an agent, a function or a program gave, told apart into output and change of the state.

import { RecipeError } from '../../../evidence/recipeError.js';
import { isObject } from '../python/pythonJson.js';

/** `{ output, state }` says both; any other object is both; everything else is output alone. */
export function parseAgentResult(who: string, answer: unknown): NodeResult {
  const value = toJson(who, answer);
  if (!isObject(value)) return { output: value };
  const keys = Object.keys(value);
  const isExplicit = keys.length > 0 && keys.every((key) => key === 'output' || key === 'state');
  if (!isExplicit) return { output: value, update: value };
  const { output = null, state } = value;
  if (state === undefined) return { output };
  if (isObject(state)) return { output, update: state };
  const message = `${who} gave ${JSON.stringify(state)} as "state", which is to be an object of the keys that change.`;
  throw new RecipeError('runtime.bad_answer', 'action', message);
}

function toJson(who: string, answer: unknown): unknown {
  if (answer === undefined) return null;
  try {
    const text = JSON.stringify(answer) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // TypeError of a circle or a bigint: told below.
  }
  const message = `${who} gave something that is not JSON (${typeof answer}). Return texts, numbers, booleans, lists, objects or null.`;
  throw new RecipeError('runtime.bad_answer', 'action', message);
}
export type Dict = Readonly<Record<string, unknown>>;
/** `told`: what the trace shows beside it. */

export type NodeResult = { output: unknown; update?: Dict | undefined; details?: Dict };
