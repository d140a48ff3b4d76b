// The failure table of every host: the kind of a failure decides the cause, the status and the exit code of a run.

import type { Status } from '../recipe/recipe.js';
import type { FailureKind } from './recipeError.js';

export type CauseClass = 'subject' | 'environment' | 'harness' | 'unknown';

type FailureRow = { cause: CauseClass; status: Exclude<Status, 'pass'> };

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = {
  assertion: { cause: 'subject', status: 'fail' },
  action: { cause: 'subject', status: 'fail' },
  precondition: { cause: 'environment', status: 'fail' },
  environment: { cause: 'environment', status: 'unknown' },
  harness: { cause: 'harness', status: 'unknown' },
  interrupted: { cause: 'unknown', status: 'unknown' },
  undecided: { cause: 'unknown', status: 'unknown' },
};

export const exitCodes = { pass: 0, failed: 1, invalid: 2, environment: 3, harness: 4 } as const;

export const signalExitCodes: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Returns the exit code of a run. It follows from the summary alone. */
export function exitCodeOf(verdict: { status: Status; cause_class?: CauseClass; signal?: string }): number {
  if (verdict.status === 'pass') return exitCodes.pass;
  if (verdict.signal !== undefined) return signalExitCodes[verdict.signal] ?? exitCodes.failed;
  if (verdict.cause_class === 'environment') return exitCodes.environment;
  if (verdict.cause_class === 'harness') return exitCodes.harness;
  return exitCodes.failed;
}
