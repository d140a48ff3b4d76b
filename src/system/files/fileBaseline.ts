// Remembers a file, to tell later which of its bytes are old, even if it was appended to, truncated, replaced, rotated or moved since.
import { statSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { fileIdentity, readPieceInside } from './readInside.js';

/** Kept of the beginning and of the end; the middle of a longer file is not compared. */
const comparedBytes = 4_000_000;

/** Some file systems round times to two seconds. */
const toleranceMs = 2_000;

type Snapshot = { size: number; identity: string; writtenAt: bigint; head: Buffer; tail: Buffer };

/** A run that begins now writes nothing before this time, in nanoseconds. */
export function earliestWriteNs(): bigint {
  return BigInt(Date.parse(systemClock.wall()) - toleranceMs) * 1_000_000n;
}

export class FileBaseline {
  /** The old content of each file that had this name, by its identity: a file may be moved away and back. */
  private readonly snapshots = new Map<string, Snapshot>();
  /** Compared with a file of an unknown identity. */
  private latest: Snapshot | undefined;

  /** A file that takes this name later is old if it was last written before `before`. */
  constructor(
    private readonly root: string,
    private readonly file: string,
    private readonly before: bigint = earliestWriteNs(),
  ) {
    this.takeSnapshot();
  }

  /** Call it between the nodes of a run, and while one waits. */
  refresh(): void {
    let stats: ReturnType<typeof statOf>;
    try {
      stats = statOf(this.file);
    } catch {
      // EACCES, ELOOP: the file cannot be read now, which says nothing about its content.
      return;
    }
    // The file is gone or empty now: whatever is written from here on is new, even if it is the same as before.
    if (!stats || stats.size === 0n) this.latest = undefined;
    if (!stats) return;
    const identity = fileIdentity(stats);
    if (stats.size === 0n) this.snapshots.delete(identity);
    else if (this.snapshots.has(identity)) this.latest = this.snapshots.get(identity);
    else if (stats.mtimeNs < this.before) this.takeSnapshot();
  }

  /** Where the new part begins. Undefined while the last line is incomplete and may become an old one. */
  findNewContent(): number | undefined {
    this.refresh();
    const { root, file } = this;
    const now = readPieceInside({ root, file, offset: 0, limit: comparedBytes * 2 });
    if (!now || 'outside' in now) return 0;
    const memory = this.snapshots.get(now.identity) ?? this.latest;
    if (!memory) return 0;
    if (this.startsWithSnapshot(memory, now)) {
      const isUntouched = now.identity === memory.identity && now.writtenAt === memory.writtenAt;
      // The same bytes, but written since: a program that logs the same in every run.
      return now.size === memory.size && !isUntouched ? 0 : memory.size;
    }
    const { offset, isCut } = skipOldLines(memory, now.bytes);
    if (isCut) return undefined;
    // The file is longer than the compared part, and all of that part is old.
    return offset === now.bytes.length && now.size > offset ? Math.min(now.size, memory.size) : offset;
  }

  private takeSnapshot(): void {
    const { root, file } = this;
    const head = readPieceInside({ root, file, offset: 0, limit: comparedBytes });
    if (!head || 'outside' in head || head.size === 0) return;
    const { size, identity, writtenAt } = head;
    this.latest = { size, identity, writtenAt, head: head.bytes, tail: this.readTail(size) };
    this.snapshots.set(identity, this.latest);
  }

  private startsWithSnapshot({ size, head, tail }: Snapshot, now: { size: number; bytes: Buffer }): boolean {
    return now.size >= size && now.bytes.subarray(0, head.length).equals(head) && this.readTail(size).equals(tail);
  }

  private readTail(size: number): Buffer {
    const { root, file } = this;
    const offset = Math.max(comparedBytes, size - comparedBytes);
    const tail = size > offset ? readPieceInside({ root, file, offset, limit: size - offset }) : undefined;
    return tail && 'bytes' in tail ? tail.bytes : Buffer.alloc(0);
  }
}

function statOf(file: string) {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

// A log that was shortened keeps some of its lines. No line is new while each one is among the old ones.
function skipOldLines({ head, tail }: Snapshot, now: Buffer): { offset: number; isCut: boolean } {
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
