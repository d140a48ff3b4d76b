// Packages that were put together into one suite, but ran in different work trees: what one of them proves says nothing about the others' code.
import { commitText } from './commitText.js';
import type { SuiteEntry } from './suiteIndex.js';
import type { Summary } from './summary.js';

const mostNamed = 5;

/** One entry for each tree when there are several, none when all packages are of one. */
export function differingTrees(
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
    const commit = commitText(summary);
    const of = `${names.length > 1 ? 'are' : 'is'} of ${commit === undefined ? 'no commit' : `commit ${commit}`}`;
    return {
      name: `work tree ${index + 1} of ${trees.size}`,
      detail: `${listed(names)} ${of}. A suite is of one work tree: run all of its shards on the same commit.`,
    };
  });
}

/** Of packages that several reports were merged into: without git, nothing tells whether they are of the same code. */
export function untiedReports(packages: readonly { summary?: Summary | undefined }[]): string[] {
  const ran = packages.flatMap(({ summary }) => (summary?.run === undefined ? [] : summary));
  if (ran.length < 2 || ran.some(({ git_ref, tree_digest }) => git_ref ?? tree_digest)) return [];
  return [
    'No package says of which commit it is, so that nothing tells whether the merged reports are of the same code. Run all shards in a git repository.',
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
