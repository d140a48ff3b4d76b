// The error class for every problem at run time. Its kind decides the cause, the status and the exit code (see exitCodes.ts).

import { stripVTControlCharacters } from 'node:util';
import type { Place } from '../document/finding.js';
import { escapeControls } from '../document/printFinding.js';

export type FailureKind = 'assertion' | 'action' | 'precondition' | 'environment' | 'harness' | 'interrupted' | 'undecided';

/** Marks the errors of every copy of this module: the command line, test workers and a project's actions each load their own copy. */
const brand = Symbol.for('recipewright.RecipeError');

export class RecipeError extends Error {
  readonly [brand] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }

  constructor(
    readonly code: string,
    readonly kind: FailureKind,
    message: string,
    readonly at?: Place,
    options?: ErrorOptions,
  ) {
    super(escapeControls(message), options);
    this.name = 'RecipeError';
  }
}

/** Turns a thrown value into a RecipeError. Any other error of an action is a fault of the action, not of the app under test. */
export function toRecipeError(thrown: unknown): RecipeError {
  if (thrown instanceof RecipeError) return thrown;
  const text = stripVTControlCharacters(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
  // The errors of `expect` in Playwright and Vitest have a `matcherResult`.
  const isAssertion = thrown instanceof Error && 'matcherResult' in thrown;
  const code = isAssertion ? 'assertion.failed' : 'action.threw';
  return new RecipeError(code, isAssertion ? 'assertion' : 'harness', text, undefined, { cause: thrown });
}
