// The bytes a process wrote, kept bounded: the head and the tail of what exceeds the limit.
export type Spool = { bytes: Buffer; size: number; wasTruncated: boolean };

export const spoolLimit = 10_000_000;

export function emptySpool(): Spool {
  return { bytes: Buffer.alloc(0), size: 0, wasTruncated: false };
}

export function collect(limit = spoolLimit): { write(chunk: Buffer): void; end(): Spool } {
  const half = Math.floor(limit / 2);
  let head: Buffer[] = [];
  let tail: Buffer[] = [];
  let [headSize, tailSize, size] = [0, 0, 0];
  return {
    write(chunk) {
      size += chunk.length;
      const first = chunk.subarray(0, half - headSize);
      if (first.length > 0) head.push(first);
      headSize += first.length;
      const rest = chunk.subarray(first.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailSize += rest.length;
      if (tailSize > 2 * half) [tail, tailSize] = keepLast(tail, half);
    },
    end() {
      const kept = size <= limit ? tail : keepLast(tail, half)[0];
      const spool = { bytes: Buffer.concat([...head, ...kept]), size, wasTruncated: size > limit };
      head = [];
      return spool;
    },
  };
}

function keepLast(chunks: Buffer[], count: number): [Buffer[], number] {
  const joined = Buffer.concat(chunks);
  const last = Buffer.from(joined.subarray(Math.max(0, joined.length - count)));
  return [[last], last.length];
}
