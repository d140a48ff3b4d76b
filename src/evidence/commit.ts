// The commit of a package in words, with whether its work tree was clean.
import type { EndLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';

export type Commit = Pick<SummaryJson, 'git_ref' | 'git_dirty' | 'git_changes' | 'git_changes_in_run' | 'tree_digest'>;

/** Undefined for a package that knows nothing of git. */
export function describeCommit(commit: Commit): string | undefined {
  const { git_ref, git_dirty, git_changes = [], git_changes_in_run: changed = [], tree_digest } = commit;
  if (git_ref === undefined && tree_digest === undefined) return undefined;
  const name = git_ref ?? 'no commit yet';
  if (git_dirty === undefined) return `${name} (not known whether the work tree was clean)`;
  if (!git_dirty) return `${name}, clean`;
  const during = changed.length > 0 ? [`changed while the run went on: ${changed.join(', ')}`] : [];
  return `${name}, dirty: ${[...(git_changes.length > 0 ? [git_changes.join(', ')] : []), ...during].join('; ')}`;
}

/** What the run saw when it ended, and what its host saw when all runs had ended. */
export function mergeTreeChanges(
  closing: Pick<EndLine, 'git_changes_in_run'> | undefined,
  { treeChanges = [] }: { treeChanges?: readonly string[] },
): string[] {
  return [...new Set([...(closing?.git_changes_in_run ?? []), ...treeChanges])];
}
