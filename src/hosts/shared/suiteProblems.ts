// What makes the run of a host fail outside of its recipes, in sentences for the index.
import type { Finding } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';

const maxListedTests = 5;

/** `errors` belong to no test, `failed` are tests that are no recipes. */
export type OutsideProblems = {
  errors: readonly string[];
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
    ...(isTimedOut ? ['Its time was over.'] : []),
    ...(isInterrupted ? ['It was interrupted.'] : []),
  ];
  return reasons.map(describeHostFailure);
}

export function describeHostFailure(why: string): string {
  return `The host's run failed: ${why}`;
}

// Why a document cannot run, in one line of an index: the first finding with its code and hint.

export function summarizeErrors(findings: readonly Finding[]): string | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : '';
  return oneLine(`${first.message} [${first.code}]${first.hint ? ` ${first.hint}` : ''}${more}`);
}
