// Builds summary.json: the verdict on a run, the facts behind it, and the identity of the run.

import { omitUndefined } from '../document/omitUndefined.js';
import type { Status } from '../recipe/recipe.js';
import { digestOf } from './digest.js';
import type { CauseClass } from './failureTable.js';
import type { Issue } from './issues.js';
import type { FailOnUnexpected, RunLine } from './models/journalLine.js';
import type { Proof, Verdict } from './verdict.js';

export type Summary = {
  status: Status;
  reason: string;
  cause_class?: CauseClass;
  total: number;
  passed: number;
  failed: number;
  cause_counts: Record<CauseClass, number>;
  startedAt: string;
  endedAt: string;
  durationMs: number;
  proof: Proof[];
  interruptedAt?: string[];
  verdicts?: Verdict['verdicts'];
  signal?: string;
  run?: string;
  recipe: { id: string; digest: string; title?: string };
  git_ref?: string;
  git_dirty?: boolean;
  git_changes?: string[];
  git_changes_in_run?: string[];
  tree_digest?: string;
  inputs?: RunLine['inputs'];
  host: { name: string; version: string };
  /** A failure that the host saw outside the journal. */
  host_failure?: string;
  harness: { name: string; version: string; runner_protocol_version: 1; action_registry_version: 1 };
  runner?: RunLine['runner'];
  fail_on_unexpected?: FailOnUnexpected;
  issues?: Issue[];
  more_issues?: number;
  /** A digest over every other file of the package. */
  package: { digest: string; files: number };
};

export type TraceCounts = { total: number; failed: number; causes: Record<CauseClass, number> };

export type SummaryParts = {
  verdict: Verdict;
  counts: TraceCounts;
  times: Pick<Summary, 'startedAt' | 'endedAt' | 'durationMs'>;
  run: RunLine | undefined;
  id: string;
  recipe: unknown;
  hostFailure: string | undefined;
  /** The tracked files that changed during the run. */
  treeChanges: readonly string[];
  issues: readonly Issue[];
  moreIssues: number;
};

/** A summary without the digest of its package. */
export type UnsealedSummary = Omit<Summary, 'package'>;

export function buildSummary(parts: SummaryParts): UnsealedSummary {
  const { verdict, counts, times, run, recipe, issues, moreIssues } = parts;
  const { status, reason, cause_class, interruptedAt, signal, proof, verdicts } = verdict;
  return {
    status,
    reason,
    ...omitUndefined({ cause_class }),
    total: counts.total,
    passed: counts.total - counts.failed,
    failed: counts.failed,
    cause_counts: counts.causes,
    ...times,
    proof,
    ...omitUndefined({ interruptedAt, verdicts, signal, run: run?.run }),
    recipe: {
      id: run?.recipe.id ?? parts.id,
      digest: recipe === undefined ? '' : digestOf(recipe),
      ...omitUndefined({ title: run?.recipe.title }),
    },
    ...omitUndefined({
      git_ref: run?.git_ref,
      git_dirty: parts.treeChanges.length > 0 ? true : run?.git_dirty,
      git_changes: run?.git_changes,
      git_changes_in_run: parts.treeChanges.length > 0 ? [...parts.treeChanges] : undefined,
      tree_digest: run?.tree_digest,
      inputs: run?.inputs,
    }),
    host: run?.host ?? { name: 'unknown', version: '' },
    ...omitUndefined({ host_failure: parts.hostFailure }),
    harness: {
      name: run?.tool.name ?? '',
      version: run?.tool.version ?? '',
      runner_protocol_version: 1,
      action_registry_version: 1,
    },
    ...omitUndefined({
      runner: run?.runner,
      fail_on_unexpected: run?.fail_on_unexpected,
      issues: issues.length > 0 ? [...issues] : undefined,
      more_issues: moreIssues > 0 ? moreIssues : undefined,
    }),
  };
}

export function sealSummary(summary: UnsealedSummary, files: readonly { path: string; sha256: string; size: number }[]): Summary {
  const digest = digestOf(files.map(({ path, sha256, size }) => ({ path, sha256, size })));
  return { ...summary, package: { digest, files: files.length } };
}
