// Where the runs of a suite lie while they go on: the hosts keep their journals in a folder of their own until the package is there.
import { join } from 'node:path';
import { liveFolder } from '../../evidence/liveRuns.js';
import { insideOf, kindOf, reallyInside } from '../../system/files.js';
import { listTree } from '../../system/listTree.js';

/** The directory of a run that goes on; undefined for one that does not. */
export function liveAt(root: string, name: string): string | undefined {
  const dir = name === '' ? undefined : insideOf(root, `${liveFolder}/${name}`);
  if (dir === undefined || kindOf(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  return reallyInside(root, join(dir, 'journal.jsonl')) ? dir : undefined;
}

/** The packages that are going to be there, by their names. */
export function liveIn(root: string): string[] {
  const folder = join(root, liveFolder);
  if (kindOf(folder) !== 'directory') return [];
  try {
    const names = listTree(folder).flatMap(({ path }) => /^(.+)\/journal\.jsonl$/.exec(path)?.[1] ?? []);
    return names.filter((name) => liveAt(root, name) !== undefined);
  } catch {
    // ENOENT: a run was over while we looked.
    return [];
  }
}
