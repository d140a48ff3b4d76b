// A file that grows by whole lines, each handed to the system before the call returns.
import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from './atomicFile.js';

export type LineFile = {
  /** After one line failed every other fails, too: a record with a gap is none. */
  append(line: string): void;
  /** What the first line failed of. */
  readonly failure: unknown;
  /** Cuts off what failed and lets `last` append once more. */
  appendAfterFailure(last: () => void): void;
  close(): void;
};

export function openLineFile(file: string): LineFile {
  mkdirSync(dirname(file), { recursive: true });
  // Without O_APPEND what follows a cut would leave a hole.
  const handle = openSync(file, 'ax');
  let length = 0;
  let failure: unknown;
  return {
    append(line) {
      if (failure !== undefined) throw failure;
      const text = `${line}\n`;
      const size = Buffer.byteLength(text);
      try {
        // A text is handed over without a copy of its bytes; what one call leaves of it is rare.
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

// Files to which several processes append whole lines, and those who read on where they stopped.

/** One call, so that lines of several writers do not mix. */
export function appendLine(file: string, line: string): void {
  appendFileSync(file, `${line}\n`);
}

/** Gives the lines that were completed since it was asked before; none while there is no file. */
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
    // ENOENT: nobody wrote to it yet.
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(handle);
  }
}
