// A file that grows by whole lines, each handed to the system before the call returns, or with the next one where it may wait for that.
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { queueMicrotask } from './clock.js';
import { writeAll } from './writeAll.js';

export type LineFile = {
  /**
   * After one line failed every other fails, too: a record with a gap is none. A line that may wait goes with the next one,
   * since two lines cost little more than one, and at the end of the current turn if none comes.
   */
  append(line: string, mayWait?: boolean): void;
  /** What the first line failed of. */
  readonly failure: unknown;
  /** Cuts off what failed and lets `last` append once more, after the lines that waited. */
  conclude(last: () => void): void;
  close(): void;
};

export function appendOnly(file: string): LineFile {
  mkdirSync(dirname(file), { recursive: true });
  // Without O_APPEND what follows a cut would leave a hole.
  const handle = openSync(file, 'ax');
  let [length, waiting, isFlushing, failure] = [0, '', false, undefined as unknown];
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
    waiting = '';
  };
  const flush = (): void => {
    isFlushing = false;
    if (waiting === '' || failure !== undefined) return;
    try {
      write(waiting);
    } catch {
      // Whatever it was, `failure` has it, and the next line tells it to somebody.
    }
  };
  return {
    append(line, mayWait = false) {
      if (failure !== undefined) throw failure;
      if (!mayWait) return write(`${waiting}${line}\n`);
      waiting += `${line}\n`;
      if (isFlushing) return;
      isFlushing = true;
      queueMicrotask(flush);
    },
    get failure() {
      return failure;
    },
    conclude(last) {
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
