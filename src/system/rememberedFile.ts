// A file as it was at one moment, to tell later which of its bytes are old: also after it was appended to, truncated, replaced or rotated.
import { statSync } from 'node:fs';
import { readFrom } from './readFrom.js';

/** How much is kept of the beginning and of the end; of a longer file the middle is not known. */
const keptBytes = 4_000_000;

/** Where reading begins. `isKept`: what stands before it was written anew with lines that were there before. */
export type NewPart = { offset: number; isKept: boolean };

type Memory = { size: number; identity: string; writtenAt: bigint; head: Buffer; tail: Buffer };

export class RememberedFile {
  private memory: Memory | undefined;

  constructor(
    private readonly root: string,
    private readonly file: string,
  ) {
    const head = readFrom({ root, file, offset: 0, limit: keptBytes });
    if (!head || 'outside' in head || head.size === 0) return;
    const { size, identity, writtenAt } = head;
    this.memory = { size, identity, writtenAt, head: head.bytes, tail: this.tailUpTo(size) };
  }

  /** A file that is gone or empty now holds nothing old from then on. */
  forgetIfEmpty(): void {
    if (!this.memory) return;
    try {
      const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
      if (size === 0) this.memory = undefined;
    } catch {
      // EACCES, ELOOP: it cannot be looked at now, which says nothing about what it holds.
    }
  }

  /** Undefined while all that is there may be a line that was there before and is only written halfway. */
  newPart(): NewPart | undefined {
    const { memory, root, file } = this;
    const now = memory && readFrom({ root, file, offset: 0, limit: keptBytes * 2 });
    if (!memory || !now || 'outside' in now) return { offset: 0, isKept: false };
    const isSameFile = now.identity === memory.identity;
    if (this.beginsAsBefore(memory, now)) {
      const isUntouched = isSameFile && now.writtenAt === memory.writtenAt;
      // The same bytes from the first to the last, written since: what a program does that says the same in every run.
      if (now.size === memory.size && !isUntouched) return { offset: 0, isKept: false };
      return { offset: memory.size, isKept: !isSameFile };
    }
    const { offset, isCut } = afterOldLines(memory, now.bytes);
    if (isCut) return undefined;
    // More than is kept of it was compared and was old.
    if (offset === now.bytes.length && now.size > offset) return { offset: Math.min(now.size, memory.size), isKept: true };
    return { offset, isKept: offset > 0 };
  }

  private beginsAsBefore({ size, head, tail }: Memory, now: { size: number; bytes: Buffer }): boolean {
    return now.size >= size && now.bytes.subarray(0, head.length).equals(head) && this.tailUpTo(size).equals(tail);
  }

  private tailUpTo(size: number): Buffer {
    const { root, file } = this;
    const offset = Math.max(keptBytes, size - keptBytes);
    const tail = size > offset ? readFrom({ root, file, offset, limit: size - offset }) : undefined;
    return tail && 'bytes' in tail ? tail.bytes : Buffer.alloc(0);
  }
}

// A log that was made shorter keeps its first lines, its last ones, or some: as long as every line is one of the old ones, none is new.
function afterOldLines({ head, tail }: Memory, now: Buffer): { offset: number; isCut: boolean } {
  const old = new Map<string, number>();
  for (const part of [head, tail])
    for (const line of part.toString('latin1').split('\n')) old.set(line, (old.get(line) ?? 0) + 1);
  let offset = 0;
  for (let end = now.indexOf(10); end >= 0; end = now.indexOf(10, offset)) {
    const line = now.toString('latin1', offset, end);
    const left = old.get(line) ?? 0;
    if (left === 0) return { offset, isCut: false };
    old.set(line, left - 1);
    offset = end + 1;
  }
  const rest = now.toString('latin1', offset);
  const isCut = rest !== '' && [...old].some(([line, left]) => left > 0 && line.startsWith(rest));
  return { offset, isCut };
}
