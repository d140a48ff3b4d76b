// Finds many byte patterns at once and ignores their case. Uses the algorithm of Wu and Manber, which skips most bytes.
export type Pattern = { bytes: Buffer; label: number };
export type Hit = { start: number; end: number; label: number };

export type Matcher = {
  /** The length of the shortest pattern. */
  readonly shortest: number;
  /** Returns the longest pattern at each place where a pattern begins, sorted by place. */
  scan(bytes: Uint8Array): Hit[];
  /** Returns the first offset at which the rest of the bytes is the beginning of a pattern, or the length of the bytes. */
  findUndecided(bytes: Uint8Array): number;
};

const blockSize = 3;
const slotCount = 1 << 16;

const lowerCaseTable = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** Returns the bytes of a string, with the letters A to Z in lower case. */
export function toLowerCaseBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) bytes[at] = lowerCaseTable[bytes[at] as number] as number;
  return bytes;
}

/** The patterns must be in lower case (`toLowerCaseBytes`) and have at least three bytes. */
export function compileMatcher(patterns: readonly Pattern[]): Matcher {
  const longestFirst = [...patterns].sort((a, b) => b.bytes.length - a.bytes.length);
  const shortest = longestFirst.at(-1)?.bytes.length ?? Number.POSITIVE_INFINITY;
  const index = buildIndex(longestFirst, shortest);
  const firstBytes = new Set(longestFirst.map(({ bytes }) => bytes[0] as number));
  const byPair = groupBy(longestFirst, ({ bytes }) => pairAt(bytes, 0));
  const longest = longestFirst[0]?.bytes.length ?? 0;
  return {
    shortest,
    scan: (bytes) => (bytes.length < shortest ? [] : scanBytes(bytes, shortest, index)),
    findUndecided(bytes) {
      const last = bytes.length - 1;
      for (let at = Math.max(0, bytes.length - longest + 1); at < last; at++) {
        if (byPair.get(pairAt(bytes, at))?.some((pattern) => beginsAt(bytes, at, pattern))) return at;
      }
      if (last >= 0 && firstBytes.has(lowerCaseTable[bytes[last] as number] as number)) return last;
      return bytes.length;
    },
  };
}

type Index = { shift: Uint8Array; buckets: ReadonlyMap<number, readonly Pattern[]> };

function buildIndex(patterns: readonly Pattern[], window: number): Index {
  const shift = new Uint8Array(slotCount).fill(Math.min(255, Math.max(1, window - blockSize + 1)));
  for (const { bytes } of patterns) {
    for (let end = blockSize - 1; end < window; end++) {
      const slot = slotAt(bytes, end);
      shift[slot] = Math.min(shift[slot] as number, window - 1 - end);
    }
  }
  return { shift, buckets: groupBy(patterns, ({ bytes }) => slotAt(bytes, window - 1)) };
}

function scanBytes(bytes: Uint8Array, window: number, { shift, buckets }: Index): Hit[] {
  const hits: Hit[] = [];
  for (let end = window - 1; end < bytes.length; ) {
    const slot = slotAt(bytes, end);
    const skip = shift[slot] as number;
    end += skip || 1;
    if (skip > 0) continue;
    const start = end - window;
    const match = buckets.get(slot)?.find((pattern) => matchesAt(bytes, start, pattern));
    if (match) hits.push({ start, end: start + match.bytes.length, label: match.label });
  }
  return hits;
}

function slotAt(bytes: Uint8Array, end: number): number {
  const [a, b, c] = [
    lowerCaseTable[bytes[end - 2] as number] as number,
    lowerCaseTable[bytes[end - 1] as number] as number,
    lowerCaseTable[bytes[end] as number] as number,
  ];
  return ((a << 10) ^ (b << 5) ^ c) & (slotCount - 1);
}

function pairAt(bytes: Uint8Array, at: number): number {
  return ((lowerCaseTable[bytes[at] as number] as number) << 8) | (lowerCaseTable[bytes[at + 1] as number] as number);
}

function matchesAt(text: Uint8Array, start: number, { bytes }: Pattern): boolean {
  return start + bytes.length <= text.length && equalsFrom(text, start, bytes);
}

function beginsAt(text: Uint8Array, start: number, { bytes }: Pattern): boolean {
  return start + bytes.length > text.length && equalsFrom(text, start, bytes);
}

function equalsFrom(text: Uint8Array, start: number, bytes: Buffer): boolean {
  const length = Math.min(bytes.length, text.length - start);
  for (let at = 0; at < length; at++) if (lowerCaseTable[text[start + at] as number] !== bytes[at]) return false;
  return true;
}

function groupBy<T>(items: readonly T[], key: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
