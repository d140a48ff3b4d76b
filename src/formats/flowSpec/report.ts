// Findings of a flow-spec at the place where its author wrote what they are about.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import { standing } from '../modern/report.js';

export type Problem = { code: string; at: readonly (string | number)[]; message: string; hint?: string | undefined };

export class Report {
  readonly findings: Finding[] = [];

  constructor(readonly document: Document) {}

  refuse(problem: Problem): void {
    this.add(problem, 'error');
  }

  warn(problem: Problem): void {
    this.add(problem, 'warning');
  }

  private add({ code, at, message, hint }: Problem, severity: Finding['severity']): void {
    const keys = at.map(String);
    const place = this.document.place(joinPointer('', ...standing(this.document.value, keys)));
    const path = joinPointer('', ...keys);
    this.findings.push({ code: `flow_spec.${code}`, severity, path, place, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** steps[3].selector, as the format's own messages write it. */
export function inWords(at: readonly PropertyKey[]): string {
  let words = '';
  for (const key of at) words += typeof key === 'number' ? `[${key}]` : `${words === '' ? '' : '.'}${String(key)}`;
  return words;
}
