// Holds a file against what it should be, piece by piece.
import { closeSync, readSync } from 'node:fs';
import { openRegular } from './fileDigest.js';

export type Comparison = {
  write(expected: Uint8Array): void;
  /** The offset of the first byte that is another one, or undefined when all are the same. */
  end(): number | undefined;
};

export function compareFile(file: string): Comparison {
  const handle = openRegular(file);
  let at = 0;
  let differs: number | undefined = handle === undefined ? 0 : undefined;
  return {
    write(expected) {
      if (handle === undefined || differs !== undefined) return;
      const found = Buffer.allocUnsafe(expected.length);
      const length = readFully(handle, found);
      const same = length === expected.length && found.equals(expected);
      if (!same) differs = at + firstDifference(found.subarray(0, length), expected);
      at += expected.length;
    },
    end() {
      if (handle === undefined) return differs;
      if (differs === undefined && readSync(handle, Buffer.allocUnsafe(1), 0, 1, null) > 0) differs = at;
      closeSync(handle);
      return differs;
    },
  };
}

function readFully(handle: number, into: Buffer): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < into.length; length += read)
    read = readSync(handle, into, length, into.length - length, null);
  return length;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}
