// Remembers the content of a file, to find the new content later, even if the file was appended to, truncated, replaced, rotated or moved.
import { statSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { fileIdentity, readPieceInside } from './readInside.js';

/** The size of the compared parts at the beginning and at the end. The middle of a longer file is not compared. */
const comparedBytes = 4_000_000;

/** Some file systems round times to two seconds. */
const toleranceMs = 2_000;

type Snapshot = { size: number; identity: string; writtenAt: bigint; head: Buffer; tail: Buffer };

/** Returns the earliest time, in nanoseconds, of a write by a run that begins now. */
export function earliestWriteNs(): bigint {
  return BigInt(Date.parse(systemClock.wall()) - toleranceMs) * 1_000_000n;
}

export class FileBaseline {
  /** A snapshot of each file that had this name, by file identity, because a file may be moved away and back. */
  private readonly snapshots = new Map<string, Snapshot>();
  /** The snapshot that a file with an unknown identity is compared with. */
  private latest: Snapshot | undefined;

  /** A file that gets this name later is old if it was last written before `before`. */
  constructor(
    private readonly root: string,
    private readonly file: string,
    private readonly before: bigint = earliestWriteNs(),
  ) {
    this.takeSnapshot();
  }

  /** Takes a snapshot of an old file that got this name. Called between the nodes of a run, and while a node waits. */
  refresh(): void {
    let stats: ReturnType<typeof readStats>;
    try {
      stats = readStats(this.file);
    } catch {
      // EACCES, ELOOP: the file cannot be read now, so its content is unknown.
      return;
    }
    // The file is missing or empty now, so all content that is written later is new, even if it equals the old content.
    if (!stats || stats.size === 0n) this.latest = undefined;
    if (!stats) return;
    const identity = fileIdentity(stats);
    if (stats.size === 0n) this.snapshots.delete(identity);
    else if (this.snapshots.has(identity)) this.latest = this.snapshots.get(identity);
    else if (stats.mtimeNs < this.before) this.takeSnapshot();
  }

  /** Returns the offset of the new content, or undefined while the last line is incomplete and may turn out to be an old line. */
  findNewContent(): number | undefined {
    this.refresh();
    const { root, file } = this;
    const now = readPieceInside({ root, file, offset: 0, limit: comparedBytes * 2 });
    if (!now || 'outside' in now) return 0;
    const snapshot = this.snapshots.get(now.identity) ?? this.latest;
    if (!snapshot) return 0;
    if (this.startsWithSnapshot(snapshot, now)) {
      const isUntouched = now.identity === snapshot.identity && now.writtenAt === snapshot.writtenAt;
      // The bytes are the same, but were written again, for example by a program that logs the same lines in every run.
      return now.size === snapshot.size && !isUntouched ? 0 : snapshot.size;
    }
    const { offset, isCut } = skipOldLines(snapshot, now.bytes);
    if (isCut) return undefined;
    // The file is longer than the compared part, and all of that part is old.
    return offset === now.bytes.length && now.size > offset ? Math.min(now.size, snapshot.size) : offset;
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

function readStats(file: string) {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

// Skips lines as long as they are among the old lines, because a log that was shortened still contains some of them.
function skipOldLines({ head, tail }: Snapshot, now: Buffer): { offset: number; isCut: boolean } {
  const old = new Map<string, number>();
  for (const part of [head, tail])
    for (const line of part.toString('latin1').split('\n')) old.set(line, (old.get(line) ?? 0) + 1);
  let offset = 0;
  for (let end = now.indexOf(10); end >= 0; end = now.indexOf(10, offset)) {
    const line = now.toString('latin1', offset, end);
    const remaining = old.get(line) ?? 0;
    if (remaining === 0) return { offset, isCut: false };
    old.set(line, remaining - 1);
    offset = end + 1;
  }
  const rest = now.toString('latin1', offset);
  const isCut = rest !== '' && [...old].some(([line, remaining]) => remaining > 0 && line.startsWith(rest));
  return { offset, isCut };
}
