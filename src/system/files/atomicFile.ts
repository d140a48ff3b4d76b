// Writes a file under a temporary name beside its own and renames it when it is complete, so that no reader sees half of it.
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Identifies the content of a file in later checks. */
export type FileDigest = { sha256: string; size: number };

export type AtomicFile = {
  write(content: string | Uint8Array): void;
  /** Gives the file its name. */
  close(): FileDigest;
  /** Removes what was written. Never throws. */
  discard(): void;
};

/** `isFlushed`: wait until the disk has the content. Not worth it for a file whose damage shows, or that can be made again. */
export type AtomicWriteOptions = { isFlushed?: boolean };

export function openAtomicFile(file: string, { isFlushed = true }: AtomicWriteOptions = {}): AtomicFile {
  mkdirSync(dirname(file), { recursive: true });
  const partialPath = join(dirname(file), partialName());
  // Fails when a file or a link has this name already.
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
      removeQuietly(partialPath);
    },
  };
}

// A handle is gone even if closing it fails, and another file may have its number by then.
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

/** For files that belong together: all are written before the first one gets its name, so that they change almost at once. */
export function writeFilesAtomically(
  files: readonly (readonly [file: string, content: string])[],
  options?: AtomicWriteOptions,
): void {
  const openFiles: AtomicFile[] = [];
  try {
    for (const [file, content] of files) {
      const whole = openAtomicFile(file, options);
      openFiles.push(whole);
      // As bytes, because a short text would be written only when the file is closed.
      whole.write(Buffer.from(content));
    }
    for (const whole of openFiles) whole.close();
  } catch (thrown) {
    for (const whole of openFiles) whole.discard();
    throw thrown;
  }
}

// Processes in several containers may share a disk and have the same pid. Short, because the file's own name may have the greatest length.
function partialName(): string {
  return `.recipewright-${process.pid}-${randomBytes(6).toString('hex')}.partial`;
}

// Another failure came first, and is the one to report.
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // EROFS, EIO: the file stays.
  }
}

const chunkLength = 65_536;
const longestPiece = 1_000_000;

// A long text is encoded in parts, none of which may end inside a surrogate pair.
function pieceEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + longestPiece);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** Collects small texts into larger writes, and digests everything. */
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
      const end = pieceEnd(texts, at);
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

/** `writeSync` may write fewer bytes than it gets. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}
