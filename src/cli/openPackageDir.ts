// Opens a package or a suite: a directory, or a zip archive that is unpacked into a temporary directory.
import { join, resolve } from 'node:path';
import { UnsafeArchive, unpackArchive } from '../evidence/unpackArchive.js';
import { readPathKind } from '../system/files/files.js';
import { listTree } from '../system/files/listTree.js';
import { TemporaryDirectory } from '../system/files/temporaryDirectory.js';
import { UsageError } from './usage.js';

/** @throws UsageError when `name` is neither a directory nor a zip archive */
export function openPackageDir(name: string): string {
  const kind = readPathKind(name);
  if (kind === 'directory') return resolve(name);
  if (kind !== 'file' || !/\.zip$/i.test(name))
    throw new UsageError(`There is no directory ${name}. Pass the directory of a package or a suite, or a zip archive of it.`);
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

// An archive often contains the directory itself, not only its files.
function unwrapSingleFolder(dir: string): string {
  const [only, ...more] = listTree(dir).filter(({ path }) => !path.includes('/'));
  return only?.kind === 'directory' && more.length === 0 ? unwrapSingleFolder(join(dir, only.path)) : dir;
}
