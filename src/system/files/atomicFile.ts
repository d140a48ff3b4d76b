// Writes a file under a temporary name beside its own and renames it when it is complete, so that no reader sees an incomplete file.
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Identifies the content of a file in later checks. */
export type FileDigest = { sha256: string; size: number };

export type AtomicFile = {
  write(content: string | Uint8Array): void;
  /** Renames the temporary file to the file's own name. */
  close(): FileDigest;
  /** Removes the temporary file. Never throws. */
  discard(): void;
};

/** `isFlushed`: wait until the disk has the content. Set it to false for a file whose damage would be noticed, or that can be written again. */
export type AtomicWriteOptions = { isFlushed?: boolean };

export function openAtomicFile(file: string, { isFlushed = true }: AtomicWriteOptions = {}): AtomicFile {
  mkdirSync(dirname(file), { recursive: true });
  const partialPath = join(dirname(file), createPartialName());
  // Fails if a file or a link with this name exists.
  const handle = openSync(partialPath, 'wx');
  const digestWriter = createDigestWriter((bytes) => writeAll(handle, bytes));
  const closeHandle = closeOnce(handle);
  let isMoved = false;
  return {
    write: digestWriter.write,
    close() {
      const digest = digestWriter.end();
      if (isFlushed) fsyncSync(handle);
      closeHandle();
      renameSync(partialPath, file);
      isMoved = true;
      return digest;
    },
    discard() {
      if (isMoved) return;
      try {
        closeHandle();
      } catch {
        // EIO, ENOSPC: the file is removed in any case.
      }
      tryRemove(partialPath);
    },
  };
}

// Closes a handle only once: after a failed close, the handle is invalid, and another file may have its number.
function closeOnce(handle: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) {
      isOpen = false;
      closeSync(handle);
    }
  };
}

export function writeFileAtomically(file: string, content: string | Uint8Array, options?: AtomicWriteOptions): FileDigest {
  const atomicFile = openAtomicFile(file, options);
  try {
    atomicFile.write(content);
    return atomicFile.close();
  } catch (thrown) {
    atomicFile.discard();
    throw thrown;
  }
}

/** Writes files that belong together. All are written before the first one is renamed, so that they change almost at the same time. */
export function writeFilesAtomically(
  files: readonly (readonly [file: string, content: string])[],
  options?: AtomicWriteOptions,
): void {
  const openFiles: AtomicFile[] = [];
  try {
    for (const [file, content] of files) {
      const atomicFile = openAtomicFile(file, options);
      openFiles.push(atomicFile);
      // As bytes, because a short string is written only when the file is closed.
      atomicFile.write(Buffer.from(content));
    }
    for (const atomicFile of openFiles) atomicFile.close();
  } catch (thrown) {
    for (const atomicFile of openFiles) atomicFile.discard();
    throw thrown;
  }
}

// Random, because processes in several containers may share a disk and have the same pid. Without the file's own name, which may be as long as allowed.
function createPartialName(): string {
  return `.recipewright-${process.pid}-${randomBytes(6).toString('hex')}.partial`;
}

// Ignores errors, because the error that occurred before is the one to report.
function tryRemove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // EROFS, EIO: the file stays.
  }
}

const chunkLength = 65_536;
const maxPieceLength = 1_000_000;

// Returns the end of the next part of a long string. A part must not end inside a surrogate pair.
function findPieceEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + maxPieceLength);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** Combines short strings into larger writes, and digests all bytes. */
export function createDigestWriter(writeBytes: (bytes: Uint8Array) => void): {
  write(content: string | Uint8Array): void;
  end(): FileDigest;
} {
  const digest = createHash('sha256');
  let size = 0;
  let texts = '';
  const send = (bytes: Uint8Array): void => {
    digest.update(bytes);
    size += bytes.length;
    writeBytes(bytes);
  };
  const flush = (): void => {
    for (let at = 0; at < texts.length; ) {
      const end = findPieceEnd(texts, at);
      send(Buffer.from(texts.slice(at, end)));
      at = end;
    }
    texts = '';
  };
  return {
    write(content) {
      if (typeof content === 'string') texts += content;
      else {
        flush();
        send(content);
      }
      if (texts.length >= chunkLength) flush();
    },
    end() {
      flush();
      return { sha256: digest.digest('hex'), size };
    },
  };
}

/** Writes all bytes, because one `writeSync` may write only some of them. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}
