// A sink receives the files of a package. Packages go to a directory, small ones can stay in memory.

import { join } from 'node:path';
import { type AtomicFile, createDigestWriter, type FileDigest, openAtomicFile } from '../system/files/atomicFile.js';
import type { Write } from './writeJson.js';

export type PackageSink = { open(path: string): AtomicFile };

export function directorySink(dir: string): PackageSink {
  // The files are not flushed to the disk: after a power cut, the digests in the manifest reveal missing data.
  return { open: (path) => openAtomicFile(join(dir, path), { isFlushed: false }) };
}

export function memorySink(files: Map<string, Uint8Array>): PackageSink {
  return {
    open(path) {
      const pieces: Uint8Array[] = [];
      const writer = createDigestWriter((bytes) => pieces.push(bytes));
      const close = (): FileDigest => {
        const digest = writer.end();
        files.set(path, Buffer.concat(pieces));
        return digest;
      };
      return { write: writer.write, close, discard: () => undefined };
    },
  };
}

/** Computes the digest without writing, for a file that is in its place already. */
export function digestOnly(): AtomicFile {
  const writer = createDigestWriter(() => undefined);
  return { write: writer.write, close: writer.end, discard: () => undefined };
}

/** The content of a file, or a function that writes it in parts. */
export type Content = string | Uint8Array | ((write: Write) => void);

export function writeFile(sink: PackageSink, path: string, content: Content): FileDigest {
  const file = sink.open(path);
  if (typeof content === 'string' || content instanceof Uint8Array) file.write(content);
  else content(file.write);
  return file.close();
}

/** Returns the whole content in memory. */
export function bytesOf(content: Content): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (typeof content !== 'function') return Buffer.from(content);
  let text = '';
  content((part) => {
    text += part;
  });
  return Buffer.from(text);
}

/** Discards the unfinished files when `writeFiles` throws. */
export function writeAllOrDiscard<T>(target: PackageSink, writeFiles: (sink: PackageSink) => T): T {
  const open = new Set<AtomicFile>();
  const sink: PackageSink = {
    open(path) {
      const file = target.open(path);
      const close = (): FileDigest => {
        const digest = file.close();
        open.delete(file);
        return digest;
      };
      open.add(file);
      return { ...file, close };
    },
  };
  try {
    return writeFiles(sink);
  } catch (error) {
    for (const file of open) file.discard();
    throw error;
  }
}
