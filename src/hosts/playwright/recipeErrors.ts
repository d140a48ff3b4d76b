// The errors that tests of recipes fail with.
import type { Finding, Place } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import type { Verdict } from '../../evidence/verdict.js';
import { markAsFailedExpectation } from './internals/junitFailure.js';
import { pointErrorAt } from './internals/shortStack.js';

/** `subject`: the invalid document, or the invalid part of a document, for messages. */
type InvalidDocument = { subject: string; place: Place | undefined };

export function createInvalidError({ subject, place }: InvalidDocument, findings: readonly Finding[], text: string): Error {
  const errors = findings.filter((finding) => finding.severity === 'error');
  // Playwright treats a line that ends in file:line:column as a frame of the stack.
  const printed = errors.map((finding) => printFinding(finding, text).replace(/^(.*:\d+:\d+)$/m, '$1 (document)'));
  const error = new Error(`${subject} is not valid:\n\n${printed.join('\n\n')}\n`);
  if (place) pointErrorAt(error, place, 'recipe');
  return error;
}

export function createRefusedError(finding: Finding): Error {
  const error = new Error(`The recipe cannot be run: ${finding.message}${finding.hint ? `\n${finding.hint}` : ''}`);
  pointErrorAt(error, finding.place, 'recipe');
  return error;
}

/** Creates the error of a run that did not pass. `failure`: the error of the failed node. */
export function createVerdictError(
  { status, reason }: Verdict,
  { id, place }: { id: string; place: Place },
  failure?: Error,
): Error {
  const error = failure ?? new Error(`The recipe's verdict is ${status}: ${reason}`);
  if (!failure) pointErrorAt(error, place, 'recipe');
  if (status === 'fail') markAsFailedExpectation(error, id);
  return error;
}
