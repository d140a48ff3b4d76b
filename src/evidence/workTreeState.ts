// Describes the commit of a package, and whether its work tree was clean.

import type { EndLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';

export type Commit = Pick<SummaryJson, 'git_ref' | 'git_dirty' | 'git_changes' | 'git_changes_in_run' | 'tree_digest'>;

/** Undefined for a package without git facts. */
export function describeCommit(commit: Commit): string | undefined {
  const { git_ref, git_dirty, git_changes = [], git_changes_in_run: changed = [], tree_digest } = commit;
  if (git_ref === undefined && tree_digest === undefined) return undefined;
  const name = git_ref ?? 'no commit yet';
  if (git_dirty === undefined) return `${name} (it is unknown whether the work tree was clean)`;
  if (!git_dirty) return `${name}, clean`;
  const changes: string[] = [];
  if (git_changes.length > 0) changes.push(git_changes.join(', '));
  if (changed.length > 0) changes.push(`changed during the run: ${changed.join(', ')}`);
  return `${name}, dirty: ${changes.join('; ')}`;
}

/** The changes that the run saw at its end, and those that its host saw after all runs. */
export function mergeTreeChanges(
  closing: Pick<EndLine, 'git_changes_in_run'> | undefined,
  { treeChanges = [] }: { treeChanges?: readonly string[] },
): string[] {
  return [...new Set([...(closing?.git_changes_in_run ?? []), ...treeChanges])];
}
