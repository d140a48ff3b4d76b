// Reads a file whose path comes from a document, so that the file may be of any kind and of any size.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs';

export type BoundedRead = { bytes: Buffer } | { size: number } | { kind: string } | { missing: string } | { code: string };

/**
 * Returns the bytes of a regular file of at most `limit` bytes. Otherwise returns the size of a larger file, the kind of another file,
 * the target of a link to a missing file, or the code of the error. Does not wait for a pipe, does not fill the memory, and never throws.
 */
export function readBounded(file: string, limit: number): BoundedRead {
  try {
    return readRegularFile(file, limit);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { missing: readLinkTarget(file) } : (describeUnopenable(file) ?? { code });
  }
}

// A socket, or a directory on some systems, cannot be opened at all.
function describeUnopenable(file: string): BoundedRead | undefined {
  try {
    return refuseStats(statSync(file), Number.POSITIVE_INFINITY);
  } catch {
    // Fails for the same reason as opening the file, which the caller reports.
    return undefined;
  }
}

function readRegularFile(file: string, limit: number): BoundedRead {
  // Opening a pipe without O_NONBLOCK waits for a writer.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    return refuseStats(stats, limit) ?? readUpTo(handle, stats.size, limit);
  } finally {
    closeSync(handle);
  }
}

// `size` is a first guess: a file may shrink or grow while it is read, and files in /proc have size 0.
function readUpTo(handle: number, size: number, limit: number): BoundedRead {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = readSync(handle, bytes, 0, bytes.length, null);
  if (length === size && size > 0) return { bytes: bytes.subarray(0, length) };
  for (let read = -1; read !== 0; length += read) {
    if (length > limit) return { size: length };
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(length * 2, limit) + 1);
    read = readSync(handle, bytes, length, bytes.length - length, null);
  }
  return { bytes: bytes.subarray(0, length) };
}

function refuseStats(stats: Stats, limit: number): BoundedRead | undefined {
  if (!stats.isFile()) return { kind: describeKind(stats) };
  return stats.size > limit ? { size: stats.size } : undefined;
}

function describeKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Returns an empty string when the path is not a link. */
function readLinkTarget(file: string): string {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : '';
  } catch {
    // ENOTDIR, EACCES: the path may or may not be a link.
    return '';
  }
}
