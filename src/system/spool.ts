// The bytes a process wrote, kept bounded: the head and the tail of what exceeds the limit, and between them a line that says so.
export type Spool = { bytes: Buffer; size: number; wasTruncated: boolean };

export const spoolLimit = 10_000_000;

/** More than the line takes that tells how much was left out. */
const noteRoom = 64;

export function emptySpool(): Spool {
  return { bytes: Buffer.alloc(0), size: 0, wasTruncated: false };
}

/** One buffer that grows up to the limit; from there on its second half is a ring of the last bytes. */
export function collect(limit = spoolLimit): { write(chunk: Uint8Array): void; end(): Spool } {
  const half = Math.floor(limit / 2);
  const placeOf = (offset: number): number => (offset < half ? offset : half + ((offset - half) % (limit - half)));
  let kept = Buffer.alloc(0);
  let size = 0;
  return {
    write(chunk) {
      kept = grown(kept, Math.min(limit, size + chunk.length), limit);
      for (let at = 0; at < chunk.length; ) {
        const place = placeOf(size);
        const part = chunk.subarray(at, at + limit - place);
        kept.set(part, place);
        at += part.length;
        size += part.length;
      }
    },
    end() {
      if (size <= limit) return { bytes: kept.subarray(0, size), size, wasTruncated: false };
      const oldest = placeOf(size);
      const tail = Buffer.concat([kept.subarray(oldest), kept.subarray(half, oldest)]);
      return join(kept.subarray(0, half), tail, size);
    },
  };
}

/** The same with at most `limit` bytes kept. */
export function shorten(spool: Spool, limit: number): Spool {
  const { bytes, size } = spool;
  if (bytes.length <= limit) return spool;
  const half = Math.floor(limit / 2);
  return join(bytes.subarray(0, half), bytes.subarray(bytes.length - half), size);
}

function grown(kept: Buffer<ArrayBuffer>, needed: number, limit: number): Buffer<ArrayBuffer> {
  if (needed <= kept.length) return kept;
  const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * kept.length)));
  kept.copy(larger);
  return larger;
}

// The line takes its room from the tail, and neither side ends inside of a character.
function join(head: Buffer, tail: Buffer, size: number): Spool {
  const first = head.subarray(0, wholeEnd(head));
  const last = tail.subarray(wholeStart(tail, noteRoom));
  const note = Buffer.from(`\n… ${size - first.length - last.length} bytes left out …\n`);
  return { bytes: Buffer.concat([first, note, last]), size, wasTruncated: true };
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && continues(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const width = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + width > bytes.length ? start : bytes.length;
}

function wholeStart(bytes: Buffer, from: number): number {
  let start = from;
  while (start < from + 3 && continues(bytes[start])) start++;
  return start;
}
