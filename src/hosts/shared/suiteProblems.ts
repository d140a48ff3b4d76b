// Describes the problems of a test run that are not verdicts of recipes, in sentences for the index.
import type { Finding } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';

const maxListedTests = 5;

type OutsideProblems = {
  /** Errors that belong to no test. */
  errors: readonly string[];
  /** The names of failed tests that are not recipes. */
  failed: readonly string[];
  isTimedOut?: boolean;
  isInterrupted?: boolean;
};

export function describeOutsideProblems({
  errors,
  failed,
  isTimedOut = false,
  isInterrupted = false,
}: OutsideProblems): string[] {
  const more = failed.length > maxListedTests ? ` and ${failed.length - maxListedTests} more` : '';
  const reasons = [
    ...errors,
    ...(failed.length > 0
      ? [`${failed.length} of the other tests did not pass: ${failed.slice(0, maxListedTests).join(', ')}${more}.`]
      : []),
    ...(isTimedOut ? ['The run reached its time limit.'] : []),
    ...(isInterrupted ? ['The run was interrupted.'] : []),
  ];
  return reasons.map(describeHostFailure);
}

export function describeHostFailure(why: string): string {
  return `The test run failed: ${why}`;
}

/** Returns the first error with its code and hint, in one line for the index. */
export function summarizeErrors(findings: readonly Finding[]): string | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : '';
  return oneLine(`${first.message} [${first.code}]${first.hint ? ` ${first.hint}` : ''}${more}`);
}
