// When and on what the packages of a suite ran, from what they say themselves: a stale index is known by it.
import { omitUndefined } from '../document/omitUndefined.js';
import { type Commit, describeCommit } from './commit.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { SuiteEntry } from './suite.js';
import type { Summary } from './summary.js';

export type SuiteOrigin = {
  /** When the first of the packages began. */
  started_at?: string;
  /** Every work tree once. */
  commits?: Commit[];
};

export function findSuiteOrigin(summaries: readonly SummaryJson[]): SuiteOrigin {
  // One whose worker died before its first line knows of no time and no tree.
  const begun = summaries.filter(({ startedAt }) => startedAt);
  const [started_at] = begun.map(({ startedAt = '' }) => startedAt).sort();
  const trees = new Map<string, Commit>();
  for (const { git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest } of begun) {
    const key = JSON.stringify([git_ref, git_dirty, git_changes_in_run, tree_digest]);
    if ((git_ref ?? tree_digest) !== undefined && !trees.has(key))
      trees.set(key, omitUndefined({ git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest }));
  }
  return { ...omitUndefined({ started_at }), ...(trees.size > 0 ? { commits: [...trees.values()] } : {}) };
}

/** One line each. */
export function describeSuiteOrigin({ started_at, commits = [] }: SuiteOrigin): string[] {
  return [
    ...(started_at === undefined ? [] : [`Run of ${started_at}`]),
    ...commits.map((commit) => `Commit: ${describeCommit(commit)}`),
  ];
}

// Packages that were put together into one suite, but ran in different work trees: what one of them proves says nothing about the others' code.

const maxNames = 5;

/** One entry for each tree when there are several, none when all packages are of one. */
export function describeDifferingTrees(
  packages: readonly { name: string; summary?: Summary | undefined }[],
): (SuiteEntry & { detail: string })[] {
  const trees = new Map<string, { names: string[]; summary: Summary }>();
  for (const { name, summary } of packages) {
    // One whose worker died before its first line knows of no tree.
    if (summary?.run === undefined) continue;
    // Two commits may have the same files: they are two commits all the same.
    const key = `${summary.git_ref ?? ''} ${summary.tree_digest ?? ''}`;
    const known = trees.get(key);
    if (known) known.names.push(name);
    else trees.set(key, { names: [name], summary });
  }
  if (trees.size < 2) return [];
  return [...trees.values()].map(({ names, summary }, index) => {
    const commit = describeCommit(summary);
    const of = `${names.length > 1 ? 'are' : 'is'} of ${commit === undefined ? 'no commit' : `commit ${commit}`}`;
    return {
      name: `work tree ${index + 1} of ${trees.size}`,
      detail: `${joinNames(names)} ${of}. A suite is of one work tree: run all of its shards on the same commit.`,
    };
  });
}

/** Of packages that several reports were merged into: without git, nothing tells whether they are of the same code. */
export function warnUnknownCommits(packages: readonly { summary?: Summary | undefined }[]): string[] {
  const summaries = packages.flatMap(({ summary }) => (summary?.run === undefined ? [] : summary));
  if (summaries.length < 2 || summaries.some(({ git_ref, tree_digest }) => git_ref ?? tree_digest)) return [];
  return [
    'No package says of which commit it is, so that nothing tells whether the merged reports are of the same code. Run all shards in a git repository.',
  ];
}

function joinNames(names: readonly string[]): string {
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
