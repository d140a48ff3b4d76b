// A file that is written bit by bit beside its name and moved there when it is whole, so that nobody ever sees half of it.
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAll } from './writeAll.js';

/** What a file holds, for those who check it later. */
export type FileDigest = { sha256: string; size: number };

export type WholeFile = {
  write(content: string | Uint8Array): void;
  /** Moves it to its name. */
  close(): FileDigest;
  /** Leaves nothing behind. */
  discard(): void;
};

export function openWhole(file: string): WholeFile {
  mkdirSync(dirname(file), { recursive: true });
  const partial = join(dirname(file), partialName());
  // Neither a file nor a link of this name may be there.
  const handle = openSync(partial, 'wx');
  const gathered = gather((bytes) => writeAll(handle, bytes));
  let [isOpen, isMoved] = [true, false];
  const shut = (): void => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(handle);
  };
  return {
    write: gathered.write,
    close() {
      const digest = gathered.end();
      fsyncSync(handle);
      shut();
      renameSync(partial, file);
      isMoved = true;
      return digest;
    },
    discard() {
      if (isMoved) return;
      try {
        shut();
      } finally {
        rmSync(partial, { force: true });
      }
    },
  };
}

/** All at once. */
export function writeWhole(file: string, content: string | Uint8Array): FileDigest {
  const whole = openWhole(file);
  try {
    whole.write(content);
    return whole.close();
  } catch (thrown) {
    discardAfter(whole);
    throw thrown;
  }
}

// Processes in containers of one disk may have the same number; a name of its own also fits where that of the file just does.
function partialName(): string {
  return `.recipewright-${process.pid}-${randomBytes(6).toString('hex')}.partial`;
}

function discardAfter(whole: WholeFile): void {
  try {
    whole.discard();
  } catch {
    // EROFS, EIO, ENOENT: the failure before it is the one to be told.
  }
}

const chunkLength = 65_536;

/** Puts small texts together before they are passed on, and digests what goes through. */
export function gather(pass: (bytes: Uint8Array) => void): { write(content: string | Uint8Array): void; end(): FileDigest } {
  const digest = createHash('sha256');
  let size = 0;
  let texts = '';
  const send = (bytes: Uint8Array): void => {
    digest.update(bytes);
    size += bytes.length;
    pass(bytes);
  };
  const flush = (): void => {
    if (texts.length > 0) send(Buffer.from(texts));
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
