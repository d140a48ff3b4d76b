// Finds out from the summaries of a suite when and on which work trees its packages ran. An index that states something else is
// outdated or was changed.

import { omitUndefined } from '../document/omitUndefined.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { SuiteEntry } from './suite.js';
import type { Summary } from './summary.js';
import { type Commit, describeCommit } from './workTreeState.js';

export type SuiteOrigin = {
  /** The time when the first of the packages began. */
  started_at?: string;
  /** The work trees, each listed once. */
  commits?: Commit[];
};

export function findSuiteOrigin(summaries: readonly SummaryJson[]): SuiteOrigin {
  // The package of a worker that died before its first line has no time and no work tree.
  const started = summaries.filter(({ startedAt }) => startedAt);
  const [started_at] = started.map(({ startedAt = '' }) => startedAt).sort();
  const trees = new Map<string, Commit>();
  for (const { git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest } of started) {
    const key = JSON.stringify([git_ref, git_dirty, git_changes_in_run, tree_digest]);
    if ((git_ref ?? tree_digest) !== undefined && !trees.has(key))
      trees.set(key, omitUndefined({ git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest }));
  }
  return omitUndefined({ started_at, commits: trees.size > 0 ? [...trees.values()] : undefined });
}

/** Returns one line for the time, and one for each commit. */
export function describeSuiteOrigin({ started_at, commits = [] }: SuiteOrigin): string[] {
  const lines = commits.map((commit) => `Commit: ${describeCommit(commit)}`);
  return started_at === undefined ? lines : [`Run of ${started_at}`, ...lines];
}

const maxNames = 5;

/**
 * Returns one entry for each work tree when the packages of a suite ran on several. Merged packages must be of the same code, so each
 * entry is a problem of the suite.
 */
export function describeDifferingTrees(
  packages: readonly { name: string; summary?: Summary | undefined }[],
): (SuiteEntry & { detail: string })[] {
  const trees = new Map<string, { names: string[]; summary: Summary }>();
  for (const { name, summary } of packages) {
    // The package of a worker that died before its first line has no work tree.
    if (summary?.run === undefined) continue;
    // Two commits with the same files are still two commits.
    const key = `${summary.git_ref ?? ''} ${summary.tree_digest ?? ''}`;
    const known = trees.get(key);
    if (known) known.names.push(name);
    else trees.set(key, { names: [name], summary });
  }
  if (trees.size < 2) return [];
  return [...trees.values()].map(({ names, summary }, index) => {
    const commit = describeCommit(summary);
    const origin = `${names.length > 1 ? 'are' : 'is'} of ${commit === undefined ? 'no commit' : `commit ${commit}`}`;
    return {
      name: `work tree ${index + 1} of ${trees.size}`,
      detail: `${joinNames(names)} ${origin}. All packages of a suite must be of one work tree: run all shards on the same commit.`,
    };
  });
}

/** Returns a warning when the packages of merged reports have no commit, because they may then be of different code. */
export function warnUnknownCommits(packages: readonly { summary?: Summary | undefined }[]): string[] {
  const summaries = packages.flatMap(({ summary }) => (summary?.run === undefined ? [] : summary));
  if (summaries.length < 2 || summaries.some(({ git_ref, tree_digest }) => git_ref ?? tree_digest)) return [];
  return ['No package has a commit, so the merged reports may be of different code. Run all shards in a git repository.'];
}

function joinNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
