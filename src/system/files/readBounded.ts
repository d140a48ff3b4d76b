// Reads a file that somebody else named: it may be anything, of any size.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs';

export type BoundedRead = { bytes: Buffer } | { size: number } | { kind: string } | { missing: string } | { code: string };

/**
 * The bytes of a regular file of at most `limit` bytes; else its size, what it is instead, why it is missing, or the error's code.
 * Neither hangs on a pipe nor fills the memory from a device, and never throws.
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
    // What kept it from being opened keeps it from being looked at: the first error tells why.
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

// The size is only a first guess: a file may shrink or grow while it is read, and those in /proc say 0.
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

/** What a link points to, or '' for what is no link. */
function readLinkTarget(file: string): string {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : '';
  } catch {
    // ENOTDIR or EACCES on the way to it: then it is not known to be a link.
    return '';
  }
}
