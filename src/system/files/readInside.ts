// Reads a file that must be inside a directory. Checks the opened file, because the path may lead to another file a moment later.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { isRealPathInside } from './files.js';
import { type BoundedRead, readBounded } from './readBounded.js';

/** Like `readBounded`. `outside`: a link leads out of `root`. */
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

/** Whether the opened file is inside `root`. Linux only, because other systems do not provide the path of a handle. */
function isOpenInside(root: string, handle: number): boolean {
  const real = realpathSync(root);
  return readlinkSync(`/proc/self/fd/${handle}`).startsWith(real.endsWith(sep) ? real : real + sep);
}

// On other systems than Linux, a link that is created between the two calls goes unnoticed.
function readThenCheck(root: string, file: string, limit: number): BoundedRead | { outside: true } {
  const read = readBounded(file, limit);
  return 'bytes' in read && !isRealPathInside(root, file) ? { outside: true } : read;
}

function tryOpenFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // ENOENT, EACCES, ENXIO and others: `explainUnopenable` finds out which.
    return undefined;
  }
}

// A file that can be read now was missing a moment ago.
function explainUnopenable(file: string, limit: number): BoundedRead {
  const read = readBounded(file, limit);
  return 'bytes' in read || 'size' in read ? { missing: '' } : read;
}

/** `identity` changes when another file replaces the file at this path. `writtenAt` is in nanoseconds. */
export type FilePiece = { bytes: Buffer; size: number; identity: string; writtenAt: bigint } | { outside: true };

export type PieceRequest = { root: string; file: string; offset: number; limit: number };

/** Reads at most `limit` bytes from `offset` on. Returns undefined when there is no regular file. */
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

/** Includes the time of creation, because a new file may get the inode of a removed one. */
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
