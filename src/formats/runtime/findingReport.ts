// Collects the findings of a manifest, with positions and with severities that depend on the strictness.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import { existingKeys } from '../modern/problemReporter.js';

/**
 * `compat`: everything that the reference implementation's models accept is valid. `strict`: the specification of the format
 * applies.
 */
export type Strictness = 'compat' | 'strict';

export type ManifestProblem = { code: string; at: readonly string[]; message: string; hint?: string };

export class FindingReport {
  readonly findings: Finding[] = [];
  /** The reasons why a valid manifest cannot run. */
  readonly blockers: Pick<ManifestProblem, 'message' | 'at'>[] = [];

  constructor(
    readonly document: Document,
    readonly level: Strictness,
  ) {}

  /** Adds an error at any strictness. */
  refuse(problem: ManifestProblem): void {
    this.add(problem, 'error');
  }

  /** Adds a violation of the specification that the models accept. It is an error only when strict. */
  advise(problem: ManifestProblem): void {
    this.add(problem, this.level === 'strict' ? 'error' : 'warning');
  }

  /** Like `advise`, for a problem that makes the manifest impossible to run. */
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
