// A directory of evidence as a command is given it: itself, or a zip archive of it, which is unpacked for as long as we run.
import { join, resolve } from 'node:path';
import { UnsafeArchive, unpackArchive } from '../evidence/unpackArchive.js';
import { readPathKind } from '../system/files/files.js';
import { listTree } from '../system/files/listTree.js';
import { TemporaryDirectory } from '../system/files/temporaryDirectory.js';
import { UsageError } from './usage.js';

/** @throws UsageError, with the words of the command when there is nothing of this name */
export function openPackageDir(name: string, missingMessage: string): string {
  const kind = readPathKind(name);
  if (kind === 'directory') return resolve(name);
  if (kind !== 'file' || !/\.zip$/i.test(name)) throw new UsageError(missingMessage);
  const { path, remove } = new TemporaryDirectory('evidence');
  try {
    unpackArchive(resolve(name), path);
  } catch (thrown) {
    remove();
    if (!(thrown instanceof UnsafeArchive)) throw thrown;
    throw new UsageError(thrown.message, { cause: thrown });
  }
  return unwrapSingleFolder(path);
}

// Who packs a directory often packs the directory itself.
function unwrapSingleFolder(dir: string): string {
  const [only, ...more] = listTree(dir).filter(({ path }) => !path.includes('/'));
  return only?.kind === 'directory' && more.length === 0 ? unwrapSingleFolder(join(dir, only.path)) : dir;
}
