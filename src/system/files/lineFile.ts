// Appends whole lines to a file, and follows the lines that other processes append.
import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from './atomicFile.js';

export type LineFile = {
  /** Passes the line to the operating system before it returns. After a line has failed, all later lines fail too, so that the file has no gap. */
  append(line: string): void;
  /** The error of the first line that failed. */
  readonly failure: unknown;
  /** Truncates the file to its last complete line, and calls `last`, which can append once more. */
  appendAfterFailure(last: () => void): void;
  close(): void;
};

export function openLineFile(file: string): LineFile {
  mkdirSync(dirname(file), { recursive: true });
  // Without O_APPEND, a line after `ftruncate` would leave a hole.
  const handle = openSync(file, 'ax');
  let length = 0;
  let failure: unknown;
  return {
    append(line) {
      if (failure !== undefined) throw failure;
      const text = `${line}\n`;
      const size = Buffer.byteLength(text);
      try {
        // Writing a string needs no copy of its bytes. The call rarely writes only some of them.
        const done = writeSync(handle, text);
        if (done < size) writeAll(handle, Buffer.from(text).subarray(done));
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      }
      length += size;
    },
    get failure() {
      return failure;
    },
    appendAfterFailure(last) {
      const before = failure;
      ftruncateSync(handle, length);
      failure = undefined;
      try {
        last();
      } finally {
        failure = before;
      }
    },
    close() {
      closeSync(handle);
    },
  };
}

/** Appends a line with one system call, so that lines of several processes do not mix. */
export function appendLine(file: string, line: string): void {
  appendFileSync(file, `${line}\n`);
}

/** Returns a function that returns the lines that were completed since its last call, or no lines while the file does not exist. */
export function followLines(file: string): () => string[] {
  let [offset, rest] = [0, Buffer.alloc(0)];
  return () => {
    const bytes = readFromOffset(file, offset);
    offset += bytes.length;
    const all = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf(0x0a) + 1;
    rest = all.subarray(end);
    return end === 0 ? [] : all.toString('utf8', 0, end - 1).split('\n');
  };
}

function readFromOffset(file: string, offset: number): Buffer {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    // ENOENT: no process has written to the file yet.
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(handle);
  }
}
