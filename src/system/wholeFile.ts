// A file that is written bit by bit beside its name and moved there when it is whole, so that nobody ever sees half of it.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

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
  const partial = `${file}.${process.pid}.partial`;
  const handle = openSync(partial, 'w');
  const gathered = gather((bytes) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
  });
  let isOpen = true;
  const shut = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  };
  return {
    write: gathered.write,
    close() {
      const digest = gathered.end();
      fsyncSync(handle);
      shut();
      renameSync(partial, file);
      return digest;
    },
    discard() {
      shut();
      rmSync(partial, { force: true });
    },
  };
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
