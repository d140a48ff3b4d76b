import type { Status } from '../recipe/recipe.js';
import type { FailureKind } from './recipeError.js';

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = {
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
/** The exit code of a run, from its summary alone. */

export function exitCodeOf(verdict: { status: Status; cause_class?: CauseClass; signal?: string }): number {
  if (verdict.status === 'pass') return exitCodes.pass;
  if (verdict.signal !== undefined) return signalExitCodes[verdict.signal] ?? exitCodes.failed;
  if (verdict.cause_class === 'environment') return exitCodes.environment;
  if (verdict.cause_class === 'harness') return exitCodes.harness;
  return exitCodes.failed;
}
export type FailureRow = { cause: CauseClass; status: Exclude<Status, 'pass'>; exitCode: number };
export type CauseClass = 'subject' | 'environment' | 'harness' | 'unknown';
