// Reports findings of modern recipes at their positions in the authored document.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import { readKeys } from '../../engine/jsonPath.js';

type ModernProblem = {
  code: string;
  /** Keys in the authored document. A missing part is reported at its nearest existing parent. */
  at: readonly string[];
  message: string;
  hint?: string;
  severity?: Finding['severity'];
};

export type ReportProblem = (problem: ModernProblem) => void;

export function createProblemReporter(document: Document, findings: Finding[]): ReportProblem {
  return ({ at, severity = 'error', ...details }) => {
    const path = joinPointer('', ...at);
    findings.push({ ...details, severity, path, place: document.place(joinPointer('', ...existingKeys(document.value, at))) });
  };
}

/** Returns the longest prefix of `keys` that exists in the value. */
export function existingKeys(value: unknown, keys: readonly string[]): readonly string[] {
  let length = keys.length;
  while (length > 0 && !readKeys(value, keys.slice(0, length)).found) length--;
  return keys.slice(0, length);
}
