// Findings at the place where the author wrote what they are about, as severe as the level asks for.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import type { Document } from '../../document/readDocument.js';
import { standing } from '../modern/report.js';

/** compat: what the reference's models accept is valid. strict: what the format's document says counts. */
export type Level = 'compat' | 'strict';

export type Problem = { code: string; at: readonly string[]; message: string; hint?: string };

export class Report {
  readonly findings: Finding[] = [];
  /** Why the manifest cannot be run, though it is valid. */
  readonly blockers: Pick<Problem, 'message' | 'at'>[] = [];

  constructor(
    readonly document: Document,
    readonly level: Level,
  ) {}

  /** It is no manifest, at any level. */
  refuse(problem: Problem): void {
    this.add(problem, 'error');
  }

  /** The document of the format asks for more than its models do. */
  advise(problem: Problem): void {
    this.add(problem, this.level === 'strict' ? 'error' : 'warning');
  }

  /** The same, and nothing can be run as it is. */
  block(problem: Problem): undefined {
    this.blockers.push(problem);
    this.advise(problem);
    return undefined;
  }

  note(problem: Problem): void {
    this.add(problem, 'warning');
  }

  private add({ at, ...said }: Problem, severity: Finding['severity']): void {
    const place = this.document.place(joinPointer('', ...standing(this.document.value, at)));
    this.findings.push({ ...said, severity, path: joinPointer('', ...at), place });
  }
}
