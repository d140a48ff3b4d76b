// Findings at the place where the author wrote what they are about, as severe as the level asks for.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import { existingKeys } from '../modern/problemReporter.js';

/** compat: what the reference's models accept is valid. strict: what the format's document says counts. */
export type Strictness = 'compat' | 'strict';

export type ManifestProblem = { code: string; at: readonly string[]; message: string; hint?: string };

export class FindingReport {
  readonly findings: Finding[] = [];
  /** Why the manifest cannot be run, though it is valid. */
  readonly blockers: Pick<ManifestProblem, 'message' | 'at'>[] = [];

  constructor(
    readonly document: Document,
    readonly level: Strictness,
  ) {}

  /** It is no manifest, at any level. */
  refuse(problem: ManifestProblem): void {
    this.add(problem, 'error');
  }

  /** The document of the format asks for more than its models do. */
  advise(problem: ManifestProblem): void {
    this.add(problem, this.level === 'strict' ? 'error' : 'warning');
  }

  /** The same, and nothing can be run as it is. */
  block(problem: ManifestProblem): undefined {
    this.blockers.push(problem);
    this.advise(problem);
    return undefined;
  }

  note(problem: ManifestProblem): void {
    this.add(problem, 'warning');
  }

  private add({ at, ...details }: ManifestProblem, severity: Finding['severity']): void {
    const place = this.document.place(joinPointer('', ...existingKeys(this.document.value, at)));
    this.findings.push({ ...details, severity, path: joinPointer('', ...at), place });
  }
}
