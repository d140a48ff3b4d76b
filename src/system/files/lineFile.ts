// A file that grows by whole lines, each handed to the system before the call returns, or with the next one where it may wait for that.
import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { queueMicrotask } from '../clock.js';
import { writeAll } from './atomicFile.js';

export type LineFile = {
  /**
   * After one line failed every other fails, too: a record with a gap is none. A line that may wait goes with the next one,
   * since two lines cost little more than one, and at the end of the current turn if none comes.
   */
  append(line: string, mayBuffer?: boolean): void;
  /** What the first line failed of. */
  readonly failure: unknown;
  /** Cuts off what failed and lets `last` append once more, after the lines that waited. */
  appendAfterFailure(last: () => void): void;
  close(): void;
};

export function openLineFile(file: string): LineFile {
  mkdirSync(dirname(file), { recursive: true });
  // Without O_APPEND what follows a cut would leave a hole.
  const handle = openSync(file, 'ax');
  let [length, buffered, isFlushing, failure] = [0, '', false, undefined as unknown];
  const write = (text: string): void => {
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
    buffered = '';
  };
  const flush = (): void => {
    isFlushing = false;
    if (buffered === '' || failure !== undefined) return;
    try {
      write(buffered);
    } catch {
      // Whatever it was, `failure` has it, and the next line tells it to somebody.
    }
  };
  return {
    append(line, mayBuffer = false) {
      if (failure !== undefined) throw failure;
      if (!mayBuffer) return write(`${buffered}${line}\n`);
      buffered += `${line}\n`;
      if (isFlushing) return;
      isFlushing = true;
      queueMicrotask(flush);
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
      flush();
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
