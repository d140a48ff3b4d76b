// Where the files of a package go as they are made: into a directory, or into the memory when they are known to be small.
import { join } from 'node:path';
import { type AtomicFile, createDigestWriter, type FileDigest, openAtomicFile } from '../system/files/atomicFile.js';
import type { Write } from './writeJson.js';

export type PackageSink = { open(path: string): AtomicFile };

export function directorySink(dir: string): PackageSink {
  // What a power cut takes from it, the digests of its manifest tell.
  return { open: (path) => openAtomicFile(join(dir, path), { isFlushed: false }) };
}

export function memorySink(files: Map<string, Uint8Array>): PackageSink {
  return {
    open(path) {
      const pieces: Uint8Array[] = [];
      const gathered = createDigestWriter((bytes) => pieces.push(bytes));
      const close = (): FileDigest => {
        const digest = gathered.end();
        files.set(path, Buffer.concat(pieces));
        return digest;
      };
      return { write: gathered.write, close, discard: () => undefined };
    },
  };
}

/** For a file that lies in its place already. */
export function digestOnly(): AtomicFile {
  const gathered = createDigestWriter(() => undefined);
  return { write: gathered.write, close: gathered.end, discard: () => undefined };
}

/** What a file is to hold: all of it, or something that writes it part by part. */
export type Content = string | Uint8Array | ((write: Write) => void);

export function writeFile(sink: PackageSink, path: string, content: Content): FileDigest {
  const file = sink.open(path);
  if (typeof content === 'string' || content instanceof Uint8Array) file.write(content);
  else content(file.write);
  return file.close();
}

/** All of it at once, for those who hand it on so. */
export function bytesOf(content: Content): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (typeof content !== 'function') return Buffer.from(content);
  let text = '';
  content((part) => {
    text += part;
  });
  return Buffer.from(text);
}

/** What is half written when the work fails goes away. */
export function wholeOrNothing<T>(target: PackageSink, work: (sink: PackageSink) => T): T {
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
    return work(sink);
  } catch (error) {
    for (const file of open) file.discard();
    throw error;
  }
}
