// Reads the lines of a file in pieces, because the file may be larger than the memory.
import { closeSync, openSync, readSync } from 'node:fs';
import type { FileDigest } from './atomicFile.js';
import { digestFile } from './fileDigest.js';

const pieceLength = 262_144;
const newline = 0x0a;

/** `containsText` searches the whole file, which is faster than a search line by line. `digest` returns the digest of the file. */
export type Lines = Iterable<string> & { containsText?(text: string): boolean; digest?(): FileDigest | undefined };

/** Each iteration opens the file again. Characters after the last line break are a line too. */
export function readLines(file: string): Lines {
  return {
    [Symbol.iterator]: () => iterateLines(file),
    containsText: (text) => fileIncludes(file, Buffer.from(text)),
    digest: () => digestFile(file),
  };
}

function fileIncludes(file: string, text: Buffer): boolean {
  const handle = openSync(file, 'r');
  try {
    const overlap = text.length - 1;
    const piece = Buffer.alloc(overlap + pieceLength);
    for (;;) {
      const length = readSync(handle, piece, overlap, pieceLength, null);
      if (length === 0) return false;
      if (piece.subarray(0, overlap + length).includes(text)) return true;
      // The text may begin at the end of this piece.
      piece.copyWithin(0, length, overlap + length);
    }
  } finally {
    closeSync(handle);
  }
}

function* iterateLines(file: string): Generator<string, undefined> {
  const handle = openSync(file, 'r');
  try {
    let rest: Buffer[] = [];
    const piece = Buffer.allocUnsafe(pieceLength);
    for (;;) {
      const length = readSync(handle, piece, 0, pieceLength, null);
      if (length === 0) break;
      let from = 0;
      for (let at = piece.indexOf(newline); at !== -1 && at < length; at = piece.indexOf(newline, from)) {
        yield rest.length === 0 ? piece.toString('utf8', from, at) : joinPieces(rest, piece.subarray(from, at));
        rest = [];
        from = at + 1;
      }
      // A copy, because the next piece is read into the same buffer.
      if (from < length) rest.push(Buffer.from(piece.subarray(from, length)));
    }
    if (rest.length > 0) yield joinPieces(rest);
  } finally {
    closeSync(handle);
  }
  return undefined;
}

function joinPieces(before: readonly Buffer[], last: Buffer = Buffer.alloc(0)): string {
  return Buffer.concat([...before, last]).toString();
}
