// Why a document cannot run, in one line of an index: the first finding with its code and hint.
import type { Finding } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';

export function problemIn(findings: readonly Finding[]): string | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : '';
  return oneLine(`${first.message} [${first.code}]${first.hint ? ` ${first.hint}` : ''}${more}`);
}
