// A file that others write to, read a piece at a time.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** At most `limit` bytes from `offset` on, and how long the file is; undefined when there is no such file. */
export function readFrom(file: string, offset: number, limit: number): { bytes: Buffer; size: number } | undefined {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(limit, stats.size - offset)));
    const length = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, offset);
    return { bytes: bytes.subarray(0, length), size: stats.size };
  } finally {
    closeSync(handle);
  }
}
