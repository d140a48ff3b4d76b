// Reads a file that must lie inside of a directory: what is judged is the file that was opened, not what its path leads to a moment later.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { isRealPathInside } from './files.js';
import { type BoundedRead, readBounded } from './readBounded.js';

/** As `readBounded`, or that links lead out of `root`. */
export function readInside(root: string, file: string, limit: number): BoundedRead | { outside: true } {
  if (process.platform !== 'linux') return readThenCheck(root, file, limit);
  const handle = tryOpenFile(file);
  if (handle === undefined) return explainUnopenable(file, limit);
  try {
    return isOpenInside(root, handle) ? readBounded(`/proc/self/fd/${handle}`, limit) : { outside: true };
  } finally {
    closeSync(handle);
  }
}

/** Whether the file that was opened lies in `root`; only Linux tells the path of a handle. */
export function isOpenInside(root: string, handle: number): boolean {
  const real = realpathSync(root);
  return readlinkSync(`/proc/self/fd/${handle}`).startsWith(real.endsWith(sep) ? real : real + sep);
}

// Where a handle does not tell its path, a link that is swapped in between the two calls goes unnoticed.
function readThenCheck(root: string, file: string, limit: number): BoundedRead | { outside: true } {
  const read = readBounded(file, limit);
  return 'bytes' in read && !isRealPathInside(root, file) ? { outside: true } : read;
}

function tryOpenFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // ENOENT, EACCES, ENXIO and the like: told by whyNot().
    return undefined;
  }
}

// It could not be opened; if it can be by now, it was not there when it was asked for.
function explainUnopenable(file: string, limit: number): BoundedRead {
  const read = readBounded(file, limit);
  return 'bytes' in read || 'size' in read ? { missing: '' } : read;
}

// A file that others write to, read a piece at a time. What is judged is the file that was opened, not what its path leads to later.

/** `identity` changes when another file takes its place; `writtenAt`, in nanoseconds, when it is written to. */
export type FilePiece = { bytes: Buffer; size: number; identity: string; writtenAt: bigint } | { outside: true };

export type PieceRequest = { root: string; file: string; offset: number; limit: number };

/** At most `limit` bytes from `offset` on, and how long the file is; undefined when there is no such file. */
export function readPieceInside({ root, file, offset, limit }: PieceRequest): FilePiece | undefined {
  const handle = openFileIfThere(file);
  if (handle === undefined) return undefined;
  try {
    const stats = fstatSync(handle, { bigint: true });
    if (!stats.isFile()) return undefined;
    if (!isInside(root, file, handle)) return { outside: true };
    const size = Number(stats.size);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(limit, size - offset)));
    const length = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, length), size, identity: fileIdentity(stats), writtenAt: stats.mtimeNs };
  } finally {
    closeSync(handle);
  }
}

/** The number of an inode is given to the next file that is created: its birth tells the two apart. */
export function fileIdentity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function isInside(root: string, file: string, handle: number): boolean {
  return process.platform === 'linux' ? isOpenInside(root, handle) : isRealPathInside(root, file);
}

function openFileIfThere(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
