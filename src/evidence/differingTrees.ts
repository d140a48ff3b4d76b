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
    const key = summary.tree_digest ?? summary.git_ref ?? '';
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

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
