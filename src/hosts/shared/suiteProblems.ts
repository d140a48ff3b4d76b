// The problems of a host's run that are no verdicts of recipes, in sentences for the index.
import type { Finding } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';

const maxListedTests = 5;

type OutsideProblems = {
  /** Errors that belong to no test. */
  errors: readonly string[];
  /** The names of failed tests that are no recipes. */
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
      ? [`${failed.length} of its other tests did not pass: ${failed.slice(0, maxListedTests).join(', ')}${more}.`]
      : []),
    ...(isTimedOut ? ['It reached its time limit.'] : []),
    ...(isInterrupted ? ['It was interrupted.'] : []),
  ];
  return reasons.map(describeHostFailure);
}

export function describeHostFailure(why: string): string {
  return `The host's run failed: ${why}`;
}

/** The first error with its code and hint, in one line of an index. */
export function summarizeErrors(findings: readonly Finding[]): string | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : '';
  return oneLine(`${first.message} [${first.code}]${first.hint ? ` ${first.hint}` : ''}${more}`);
}
