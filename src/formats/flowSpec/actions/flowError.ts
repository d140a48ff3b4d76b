// A step that failed, by the class of its failure.

import { RecipeError, toRecipeError } from '../../../evidence/failure.js';
import { classOfCode, type FailureClass, failureClasses } from '../failureClass.js';

export function flowError(name: FailureClass, message: string, cause?: unknown): RecipeError {
  const { kind } = failureClasses[name];
  return new RecipeError(`flow_spec.${name}`, kind, message, undefined, cause === undefined ? {} : { cause });
}

/** What the page refused is a step that could not be resolved; trouble of the machine or of ours has no class. */
export function asFlowError(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  if (classOfCode(error.code) !== undefined || error.kind !== 'action') return error;
  return flowError('spec_step_unresolvable', error.message, error);
}

/** The same failure, of another class. */
export function inClass(name: FailureClass, error: RecipeError, words: string): RecipeError {
  return flowError(name, `${words}\n${error.message}`, error);
}
