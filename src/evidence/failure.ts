// The one failure table: what went wrong decides the cause, the verdict and the exit code, everywhere.
import { stripVTControlCharacters } from 'node:util';
import type { Place } from '../document/finding.js';
import { escapeControls } from '../document/printFinding.js';
import type { Status } from '../recipe/recipe.js';

export type FailureKind = 'assertion' | 'action' | 'precondition' | 'environment' | 'harness' | 'interrupted' | 'undecided';
export type CauseClass = 'subject' | 'environment' | 'harness' | 'unknown';

type Row = { cause: CauseClass; status: Exclude<Status, 'pass'>; exitCode: number };

export const failureTable: Readonly<Record<FailureKind, Row>> = {
  assertion: { cause: 'subject', status: 'fail', exitCode: 1 },
  action: { cause: 'subject', status: 'fail', exitCode: 1 },
  precondition: { cause: 'environment', status: 'fail', exitCode: 3 },
  environment: { cause: 'environment', status: 'unknown', exitCode: 3 },
  harness: { cause: 'harness', status: 'unknown', exitCode: 4 },
  interrupted: { cause: 'unknown', status: 'unknown', exitCode: 130 },
  undecided: { cause: 'unknown', status: 'unknown', exitCode: 1 },
};

export const exitCodes = { pass: 0, failed: 1, invalid: 2, environment: 3, harness: 4 } as const;
export const signalExitCodes: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

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
  const asserted = thrown instanceof Error && 'matcherResult' in thrown;
  return new RecipeError(asserted ? 'assertion.failed' : 'action.threw', asserted ? 'assertion' : 'harness', text, undefined, {
    cause: thrown,
  });
}

/** The exit code of a run, from its summary alone. */
export function exitCodeOf(verdict: { status: Status; cause_class?: CauseClass; signal?: string }): number {
  if (verdict.status === 'pass') return exitCodes.pass;
  if (verdict.signal !== undefined) return signalExitCodes[verdict.signal] ?? exitCodes.failed;
  if (verdict.cause_class === 'environment') return exitCodes.environment;
  if (verdict.cause_class === 'harness') return exitCodes.harness;
  return exitCodes.failed;
}
