// What a file of a package holds, in a digest. Links are not followed, and nothing but a regular file is opened.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileDigest } from './wholeFile.js';

/** Undefined when there is no such file, or something else in its place. */
export function fileDigest(file: string): FileDigest | undefined {
  const handle = openRegular(file);
  if (handle === undefined) return undefined;
  try {
    const digest = createHash('sha256');
    const piece = Buffer.allocUnsafe(262_144);
    let size = 0;
    for (let length = readSync(handle, piece); length > 0; length = readSync(handle, piece)) {
      digest.update(piece.subarray(0, length));
      size += length;
    }
    return { sha256: digest.digest('hex'), size };
  } finally {
    closeSync(handle);
  }
}

export function openRegular(file: string): number | undefined {
  const handle = openUnlinked(file);
  if (handle === undefined) return undefined;
  let isRegular = false;
  try {
    isRegular = fstatSync(handle).isFile();
  } finally {
    if (!isRegular) closeSync(handle);
  }
  return isRegular ? handle : undefined;
}

/** What opening fails with when there is no file that could be read; anything else, EIO for one, is trouble with the disk. */
const noFile = new Set([
  ...['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO', 'EISDIR', 'EINVAL'],
  ...['ERR_INVALID_ARG_VALUE'],
]);

function openUnlinked(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    if (!noFile.has((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    return undefined;
  }
}
