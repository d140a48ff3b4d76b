// A list of JSON values, written a few at a time in the very shape of JSON.stringify(list, null, 2).
import type { FileDigest, WholeFile } from '../system/wholeFile.js';

const mark = '"@"';

/** Printed together they take less time than one by one; each may be long. */
const mostAtOnce = 16;

/** `around` puts the list into the document it belongs to, at most one level deep. */
export class ListWriter {
  private values: unknown[] = [];
  private hasBegun = false;
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
    this.values.push(value);
    if (this.values.length >= mostAtOnce) this.flush();
  }

  private flush(): void {
    if (this.values.length === 0) return;
    this.file.write(this.hasBegun ? `,\n${'  '.repeat(this.depth)}` : this.head);
    this.file.write(this.depth === 1 ? JSON.stringify(this.values, null, 2).slice(4, -2) : deeper(this.values));
    this.hasBegun = true;
    this.values = [];
  }

  close(): FileDigest {
    this.flush();
    this.file.write(this.hasBegun ? this.tail : `${JSON.stringify(this.around([]), null, 2)}\n`);
    return this.file.close();
  }
}

// Two brackets with their line breaks and indentations come before and after them.
function deeper(values: readonly unknown[]): string {
  return JSON.stringify([values], null, 2).slice(10, -6);
}
