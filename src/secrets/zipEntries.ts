// Reads the entries of an untrusted zip archive. Checks the directory of the archive, and limits the size of the unpacked data.
import { inflateRawSync } from 'node:zlib';
import { type ByteSource, bufferSource, sliceSource } from '../system/files/byteSource.js';

export type ZipLimits = {
  entries: number;
  /** The bytes to which one entry may unpack. */
  entryBytes: number;
  /** The bytes to which all packed entries of one scan may unpack. */
  totalBytes: number;
  /** The greatest ratio of unpacked to packed size, for an entry above 1 MB and for all entries together above 8 MB. */
  ratio: number;
};

export const zipLimits: ZipLimits = { entries: 10_000, entryBytes: 256_000_000, totalBytes: 2_000_000_000, ratio: 100 };

/** `mode`: the Unix file mode, 0 when the archive has none. */
export type ZipEntry = {
  name: Buffer;
  method: number;
  isEncrypted: boolean;
  packedBytes: number;
  localOffset: number;
  mode: number;
};

const megabyte = 1 << 20;
const fileMark = 0x04034b50;
const directoryMark = 0x02014b50;
const endMark = 0x06054b50;
const endSize = 22;

/** An archive begins with an entry. An empty archive, or one with a program in front, is recognised by the directory at its end. */
export function isZip(source: ByteSource): boolean {
  return startsWithMark(source, fileMark) || startsWithMark(source, endMark) || findDirectoryEnd(source) !== undefined;
}

export function readZipEntries(source: ByteSource, limits: ZipLimits): ZipEntry[] {
  const end = findDirectoryEnd(source);
  if (!end) throw new Error('the archive has no directory at its end');
  const [count, size, start] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  if (count === 0xffff || start === 0xffffffff) throw new Error('zip64 archives are not supported');
  if (count > limits.entries) throw new Error(`the archive has ${count} entries, more than ${limits.entries}`);
  // The offsets in an archive do not count the bytes in front of the archive.
  const bytesInFront = source.size - end.length - size - start;
  if (bytesInFront < 0) throw new Error('the directory of the archive states a wrong position or size');
  const directory = source.read(start + bytesInFront, size);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count; ) {
    const { entry, length } = readEntry(directory, at);
    entries.push({ ...entry, localOffset: entry.localOffset + bytesInFront });
    at += length;
  }
  // A second end record in the comment of an archive could hide all entries of the first directory.
  if (startsWithMark(source, fileMark) && !entries.some(({ localOffset }) => localOffset === 0))
    throw new Error('the directory of the archive does not list its first entry');
  return entries;
}

/** Returns the bytes to which all entries together may unpack, because many small bombs make a large one. Shared bytes count once. */
export function computeUnpackLimit(source: ByteSource, entries: readonly ZipEntry[], { ratio, totalBytes }: ZipLimits): number {
  const packed = entries.reduce((sum, entry) => sum + entry.packedBytes, 0);
  return Math.min(totalBytes, Math.max(8 * megabyte, ratio * Math.min(packed, source.size)));
}

/** Opens the content of an entry. A packed entry is unpacked in memory. */
export function openZipEntry(source: ByteSource, entry: ZipEntry, limit: { ratio: number; bytes: number }): ByteSource {
  if (entry.isEncrypted) throw new Error('the entry is encrypted');
  const header = source.read(entry.localOffset, 30);
  if (header.length < 30 || header.readUInt32LE() !== fileMark) throw new Error('the entry is not where the directory says');
  const start = entry.localOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + entry.packedBytes > source.size) throw new Error('the entry is longer than its archive');
  const content = sliceSource(source, start, entry.packedBytes);
  if (entry.method === 0) return content;
  if (entry.method !== 8) throw new Error(`the entry is packed by the unsupported method ${entry.method}`);
  const maxBytes = Math.min(limit.bytes, Math.max(megabyte, limit.ratio * entry.packedBytes));
  if (entry.packedBytes > maxBytes) throw new Error(`the entry unpacks to more than ${maxBytes} bytes`);
  return bufferSource(inflate(content.read(0, entry.packedBytes), maxBytes));
}

function startsWithMark(source: ByteSource, mark: number): boolean {
  const first = source.read(0, 4);
  return first.length === 4 && first.readUInt32LE() === mark;
}

function inflate(packed: Buffer, maxBytes: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'ERR_BUFFER_TOO_LARGE' ? `the entry unpacks to more than ${maxBytes} bytes` : 'the entry cannot be unpacked',
      {
        cause: error,
      },
    );
  }
}

/** Finds the end record of the directory. Only a comment, with the length that the record states, may follow it. */
function findDirectoryEnd(source: ByteSource): Buffer | undefined {
  const tail = source.read(Math.max(0, source.size - endSize - 0xffff), endSize + 0xffff);
  for (let at = tail.length - endSize; at >= 0; at--) {
    if (tail.readUInt32LE(at) === endMark && tail.readUInt16LE(at + 20) === tail.length - at - endSize) return tail.subarray(at);
  }
  return undefined;
}

function readEntry(directory: Buffer, at: number): { entry: ZipEntry; length: number } {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== directoryMark)
    throw new Error('the directory of the archive is damaged');
  const nameLength = directory.readUInt16LE(at + 28);
  const length = 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  return {
    length,
    entry: {
      name: directory.subarray(at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      packedBytes: directory.readUInt32LE(at + 20),
      localOffset: directory.readUInt32LE(at + 42),
      mode: directory.readUInt16LE(at + 40),
    },
  };
}
