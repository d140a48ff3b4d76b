// Digests and compares files of a package. Links are not followed, and only regular files are opened.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileDigest } from './atomicFile.js';

/** Returns undefined when there is no regular file. */
export function digestFile(file: string): FileDigest | undefined {
  const handle = openRegularFile(file);
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

function openRegularFile(file: string): number | undefined {
  const handle = openWithoutFollowing(file);
  if (handle === undefined) return undefined;
  let isRegular = false;
  try {
    isRegular = fstatSync(handle).isFile();
  } finally {
    if (!isRegular) closeSync(handle);
  }
  return isRegular ? handle : undefined;
}

/** The error codes of a file that is missing or unreadable. Any other error, such as EIO, is a failure of the disk. */
const missingFileCodes = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
  'ENXIO',
  'EISDIR',
  'EINVAL',
  'ERR_INVALID_ARG_VALUE',
]);

function openWithoutFollowing(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    if (!missingFileCodes.has((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    return undefined;
  }
}

/** A comparison of a file with its expected content, which is written piece by piece. */
export type FileComparison = {
  write(expected: Uint8Array): void;
  /** The offset of the first byte that differs, or undefined. */
  end(): number | undefined;
};

export function openFileComparison(file: string): FileComparison {
  const handle = openRegularFile(file);
  let at = 0;
  let differenceAt: number | undefined = handle === undefined ? 0 : undefined;
  return {
    write(expected) {
      if (handle === undefined || differenceAt !== undefined) return;
      const actual = Buffer.allocUnsafe(expected.length);
      const length = readFully(handle, actual);
      const same = length === expected.length && actual.equals(expected);
      if (!same) differenceAt = at + findFirstDifference(actual.subarray(0, length), expected);
      at += expected.length;
    },
    end() {
      if (handle === undefined) return differenceAt;
      if (differenceAt === undefined && readSync(handle, Buffer.allocUnsafe(1), 0, 1, null) > 0) differenceAt = at;
      closeSync(handle);
      return differenceAt;
    },
  };
}

function readFully(handle: number, into: Buffer): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < into.length; length += read)
    read = readSync(handle, into, length, into.length - length, null);
  return length;
}

function findFirstDifference(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}
