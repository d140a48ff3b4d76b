// A file that others write to, read a piece at a time. What is judged is the file that was opened, not what its path leads to later.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { reallyInside } from './files.js';
import { isOpenInside } from './readInside.js';

/** `identity` changes when another file takes its place; `writtenAt`, in nanoseconds, when it is written to. */
export type Piece = { bytes: Buffer; size: number; identity: string; writtenAt: bigint } | { outside: true };

export type PieceOf = { root: string; file: string; offset: number; limit: number };

/** At most `limit` bytes from `offset` on, and how long the file is; undefined when there is no such file. */
export function readFrom({ root, file, offset, limit }: PieceOf): Piece | undefined {
  const handle = openFile(file);
  if (handle === undefined) return undefined;
  try {
    const stats = fstatSync(handle, { bigint: true });
    if (!stats.isFile()) return undefined;
    if (!isInside(root, file, handle)) return { outside: true };
    const size = Number(stats.size);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(limit, size - offset)));
    const length = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, length), size, identity: identityOf(stats), writtenAt: stats.mtimeNs };
  } finally {
    closeSync(handle);
  }
}

/** The number of an inode is given to the next file that is created: its birth tells the two apart. */
export function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function isInside(root: string, file: string, handle: number): boolean {
  return process.platform === 'linux' ? isOpenInside(root, handle) : reallyInside(root, file);
}

function openFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
