// The commit of a package in words, with whether its work tree was clean.
import type { SummaryJson } from './models/summary.js';

export type Commit = Pick<SummaryJson, 'git_ref' | 'git_dirty' | 'git_changes' | 'tree_digest'>;

/** Undefined for a package that knows nothing of git. */
export function commitText({ git_ref, git_dirty, git_changes = [], tree_digest }: Commit): string | undefined {
  if (git_ref === undefined && tree_digest === undefined) return undefined;
  const commit = git_ref ?? 'no commit yet';
  if (git_dirty === undefined) return `${commit} (not known whether the work tree was clean)`;
  return git_dirty ? `${commit}, dirty: ${git_changes.join(', ')}` : `${commit}, clean`;
}
