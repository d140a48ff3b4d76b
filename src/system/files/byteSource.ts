// Reads files below a directory in pieces, so that no whole file is in memory.
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Random access to bytes. A read past the end returns fewer bytes. */
export type ByteSource = { size: number; read(at: number, length: number): Buffer };

export type ListedEntry = { path: string; kind: 'file' | 'directory' | 'link' | 'other' };

/** Lists everything below a directory, sorted. Paths are relative to the directory and use `/`. Links are not followed. */
export function listEntriesBelow(dir: string): ListedEntry[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const listed = entries.map((entry): ListedEntry => {
    const path = relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/');
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'other';
    return { path, kind };
  });
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function readLinkBytes(link: string): Buffer {
  return readlinkSync(link, { encoding: 'buffer' });
}

/** Opens a file, passes its content to `use`, and closes the file. */
export function withFileSource<T>(file: string, use: (source: ByteSource) => T): T {
  // The file may have been replaced since it was listed. Without O_NONBLOCK, a pipe would wait for a writer. Without O_NOFOLLOW, a link could point anywhere.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    return use({ size: fstatSync(handle).size, read: (at, length) => readAt(handle, at, length) });
  } finally {
    closeSync(handle);
  }
}

export function bufferSource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { size: buffer.length, read: (at, length) => buffer.subarray(at, at + length) };
}

export function sliceSource(source: ByteSource, start: number, size: number): ByteSource {
  return { size, read: (at, length) => source.read(start + at, Math.max(0, Math.min(length, size - at))) };
}

/** Yields the bytes in chunks. A yielded chunk does not change later. */
export function* readChunks(source: ByteSource, length = 1 << 20): Generator<Buffer> {
  let at = 0;
  for (let chunk = source.read(at, length); chunk.length > 0; chunk = source.read(at, length)) {
    at += chunk.length;
    yield chunk;
  }
}

function readAt(handle: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < length; filled += read)
    read = readSync(handle, bytes, filled, length - filled, at + filled);
  return bytes.subarray(0, filled);
}
