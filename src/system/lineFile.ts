// A file that grows by whole lines, each handed to the system before the call returns.
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from './writeAll.js';

export type LineFile = {
  /** After one line failed every other fails, too: a record with a gap is none. */
  append(line: string): void;
  /** What the first line failed of. */
  readonly failure: unknown;
  /** Cuts off the line that failed and lets `last` append once more. */
  conclude(last: () => void): void;
  close(): void;
};

export function appendOnly(file: string): LineFile {
  mkdirSync(dirname(file), { recursive: true });
  // Without O_APPEND what follows a cut would leave a hole.
  const handle = openSync(file, 'ax');
  let [length, failure] = [0, undefined as unknown];
  const append = (line: string): void => {
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
  };
  return {
    append,
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
    close: () => closeSync(handle),
  };
}
