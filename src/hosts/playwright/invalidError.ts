// What a document that cannot run says when its test is run.
import type { Finding, Place } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import { pointAt } from './atPlace.js';

/** `what` it is that is not valid. */
export type Invalid = { what: string; place: Place | undefined };

export function invalidError({ what, place }: Invalid, findings: readonly Finding[], text: string): Error {
  const errors = findings.filter((finding) => finding.severity === 'error');
  // A line that ends in file:line:column would be taken for a frame of the stack.
  const shown = errors.map((finding) => printFinding(finding, text).replace(/^(.*:\d+:\d+)$/m, '$1 (document)'));
  const error = new Error(`${what} is not valid:\n\n${shown.join('\n\n')}\n`);
  if (place) pointAt(error, place, 'recipe');
  return error;
}

export function refusedError(finding: Finding): Error {
  const error = new Error(`The recipe cannot be run: ${finding.message}${finding.hint ? `\n${finding.hint}` : ''}`);
  pointAt(error, finding.place, 'recipe');
  return error;
}
