// Lists everything below a directory. Links are listed, not followed.
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

export type TreeEntry = { path: string; kind: 'file' | 'directory' | 'link' | 'other' };

/** Returns sorted entries. Their paths are relative to `dir` and use slashes. */
export function listTree(dir: string, below = ''): TreeEntry[] {
  const entries = readdirSync(join(dir, below), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const treeEntry = { path, kind: entryKind(entry) };
      return entry.isDirectory() ? [treeEntry, ...listTree(dir, path)] : [treeEntry];
    });
}

function entryKind(entry: Dirent): TreeEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'directory';
  return entry.isFile() ? 'file' : 'other';
}
