// A list of JSON values, written one by one in the very shape of JSON.stringify(list, null, 2).
import type { FileDigest, WholeFile } from '../system/wholeFile.js';

const mark = '"@"';

/** `around` puts the list into the document it belongs to, at most one level deep. */
export class ListWriter {
  private count = 0;
  private readonly head: string;
  private readonly tail: string;
  private readonly depth: number;

  constructor(
    private readonly file: WholeFile,
    private readonly around: (list: readonly unknown[]) => unknown = (list) => list,
  ) {
    const frame = JSON.stringify(around(['@']), null, 2);
    const at = frame.lastIndexOf(mark);
    this.head = frame.slice(0, at);
    this.tail = `${frame.slice(at + mark.length)}\n`;
    this.depth = this.head.startsWith('[') ? 1 : 2;
  }

  write(value: unknown): void {
    this.file.write(this.count++ === 0 ? this.head : `,\n${'  '.repeat(this.depth)}`);
    this.file.write(this.depth === 1 ? JSON.stringify([value], null, 2).slice(4, -2) : deeper(value));
  }

  close(): FileDigest {
    this.file.write(this.count === 0 ? `${JSON.stringify(this.around([]), null, 2)}\n` : this.tail);
    return this.file.close();
  }
}

// Two brackets with their line breaks and indentations come before and after it.
function deeper(value: unknown): string {
  return JSON.stringify([[value]], null, 2).slice(10, -6);
}
