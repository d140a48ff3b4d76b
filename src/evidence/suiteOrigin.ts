// When and on what the packages of a suite ran, from what they say themselves: a stale index is known by it.
import { omitUndefined } from '../document/omitUndefined.js';
import { type Commit, commitText } from './commitText.js';
import type { SummaryJson } from './models/summary.js';

export type SuiteOrigin = {
  /** When the first of the packages began. */
  started_at?: string;
  /** Every work tree once. */
  commits?: Commit[];
};

export function originOf(summaries: readonly SummaryJson[]): SuiteOrigin {
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
export function originLines({ started_at, commits = [] }: SuiteOrigin): string[] {
  return [
    ...(started_at === undefined ? [] : [`Run of ${started_at}`]),
    ...commits.map((commit) => `Commit: ${commitText(commit)}`),
  ];
}
