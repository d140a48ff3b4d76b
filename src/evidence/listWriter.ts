// A list of JSON values, written a few at a time in the very shape of JSON.stringify(list, null, 2).
import type { AtomicFile, FileDigest } from '../system/files/atomicFile.js';

const mark = '"@"';

/** Small values take less time when they are printed together; a large one is never kept waiting. */
const mostAtOnce = 32;
const longestText = 1_000;

/** `around` puts the list into the document it belongs to, at most one level deep. */
export class ListWriter {
  private values: unknown[] = [];
  private hasBegun = false;
  private readonly head: string;
  private readonly tail: string;
  private readonly depth: number;

  constructor(
    private readonly file: AtomicFile,
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
    if (this.values.length >= mostAtOnce || !isSmall(value)) this.flush();
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

/** It holds no other, and no long text. */
function isSmall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' ? member !== null : typeof member === 'string' && member.length > longestText) return false;
  }
  return true;
}

// Two brackets with their line breaks and indentations come before and after them.
function deeper(values: readonly unknown[]): string {
  return JSON.stringify([values], null, 2).slice(10, -6);
}
