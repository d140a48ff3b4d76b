// A file that is written bit by bit beside its name and moved there when it is whole, so that nobody ever sees half of it.
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a file holds, for those who check it later. */
export type FileDigest = { sha256: string; size: number };

export type AtomicFile = {
  write(content: string | Uint8Array): void;
  /** Moves it to its name. */
  close(): FileDigest;
  /** Leaves nothing behind, and never fails. */
  discard(): void;
};

/** `isFlushed`: it is on the disk before it has its name. For a file that can be told to be damaged, or made again, the wait is not worth it. */
export type AtomicWriteOptions = { isFlushed?: boolean };

export function openAtomicFile(file: string, { isFlushed = true }: AtomicWriteOptions = {}): AtomicFile {
  mkdirSync(dirname(file), { recursive: true });
  const partialPath = join(dirname(file), partialName());
  // Neither a file nor a link of this name may be there.
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
        // EIO, ENOSPC: it is thrown away, whatever it holds.
      }
      removeQuietly(partialPath);
    },
  };
}

// A handle is gone even when closing it failed, and its number may be another file's by then.
function closeOnce(handle: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) {
      isOpen = false;
      closeSync(handle);
    }
  };
}

/** All at once. */
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

/** Several files that tell of the same: all are written before the first one gets its name, so that they change as good as at once. */
export function writeFilesAtomically(
  files: readonly (readonly [file: string, content: string])[],
  options?: AtomicWriteOptions,
): void {
  const openFiles: AtomicFile[] = [];
  try {
    for (const [file, content] of files) {
      const whole = openAtomicFile(file, options);
      openFiles.push(whole);
      // Bytes are written at once, a short text only when the file is closed.
      whole.write(Buffer.from(content));
    }
    for (const whole of openFiles) whole.close();
  } catch (thrown) {
    for (const whole of openFiles) whole.discard();
    throw thrown;
  }
}

// Processes in containers of one disk may have the same number; a name of its own also fits where that of the file just does.
function partialName(): string {
  return `.recipewright-${process.pid}-${randomBytes(6).toString('hex')}.partial`;
}

// What is thrown away was given up because of a failure, which is the one to be told.
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // EROFS, EIO: it stays.
  }
}

const chunkLength = 65_536;
const longestPiece = 1_000_000;

// A long text is turned into bytes a part at a time, and no part ends inside of a character.
function pieceEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + longestPiece);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** Puts small texts together before they are passed on, and digests what goes through. */
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

/** All of the bytes: one call may write fewer than it was given. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}
