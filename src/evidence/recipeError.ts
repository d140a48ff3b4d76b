// The one failure table: what went wrong decides the cause, the verdict and the exit code, everywhere.
import { stripVTControlCharacters } from 'node:util';
import type { Place } from '../document/finding.js';
import { escapeControls } from '../document/printFinding.js';

export type FailureKind = 'assertion' | 'action' | 'precondition' | 'environment' | 'harness' | 'interrupted' | 'undecided';
/** The command line and the workers of test runners have a copy of this module each, and a project's own actions another one. */
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

/** What escaped from an action as something else than a RecipeError is a fault of the action, not of the product. */
export function toRecipeError(thrown: unknown): RecipeError {
  if (thrown instanceof RecipeError) return thrown;
  const text = stripVTControlCharacters(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
  // What an `expect` of Playwright or Vitest throws carries what it compared.
  const isAssertion = thrown instanceof Error && 'matcherResult' in thrown;
  return new RecipeError(
    isAssertion ? 'assertion.failed' : 'action.threw',
    isAssertion ? 'assertion' : 'harness',
    text,
    undefined,
    {
      cause: thrown,
    },
  );
}
