// Describes the commit of a package, and whether its work tree was clean.

import type { EndLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';

export type Commit = Pick<SummaryJson, 'git_ref' | 'git_dirty' | 'git_changes' | 'git_changes_in_run' | 'tree_digest'>;

/** Returns undefined for a package without a commit. */
export function describeCommit(commit: Commit): string | undefined {
  const { git_ref, git_dirty, git_changes = [], git_changes_in_run: changed = [], tree_digest } = commit;
  if (git_ref === undefined && tree_digest === undefined) return undefined;
  const name = git_ref ?? 'no commit yet';
  if (git_dirty === undefined) return `${name} (unknown whether the work tree was clean)`;
  if (!git_dirty) return `${name}, clean`;
  const changes: string[] = [];
  if (git_changes.length > 0) changes.push(git_changes.join(', '));
  if (changed.length > 0) changes.push(`changed during the run: ${changed.join(', ')}`);
  return `${name}, dirty: ${changes.join('; ')}`;
}

/** Merges the changes that the run saw at its end with those that the host saw after all runs. */
export function mergeTreeChanges(
  closing: Pick<EndLine, 'git_changes_in_run'> | undefined,
  { treeChanges = [] }: { treeChanges?: readonly string[] },
): string[] {
  return [...new Set([...(closing?.git_changes_in_run ?? []), ...treeChanges])];
}
