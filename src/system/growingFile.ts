// Files to which several processes append whole lines, and those who read on where they stopped.
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** One call, so that lines of several writers do not mix. */
export function appendLine(file: string, line: string): void {
  appendFileSync(file, `${line}\n`);
}

/** Gives the lines that were completed since it was asked before; none while there is no file. */
export function newLinesOf(file: string): () => string[] {
  let [offset, rest] = [0, Buffer.alloc(0)];
  return () => {
    const bytes = readRest(file, offset);
    offset += bytes.length;
    const all = Buffer.concat([rest, bytes]);
    const end = all.lastIndexOf(0x0a) + 1;
    rest = all.subarray(end);
    return end === 0 ? [] : all.toString('utf8', 0, end - 1).split('\n');
  };
}

function readRest(file: string, offset: number): Buffer {
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
