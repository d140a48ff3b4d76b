// Reads the files of a zip archive. Supports stored and deflated entries, but no encryption and no zip64.
import { inflateRawSync } from 'node:zlib';

export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1) throw new Error('The file is not a zip archive.');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    files.set(
      name,
      contentOf(archive, {
        method: archive.readUInt16LE(at + 10),
        size: archive.readUInt32LE(at + 20),
        local: archive.readUInt32LE(at + 42),
      }),
    );
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

function contentOf(archive: Buffer, { method, size, local }: { method: number; size: number; local: number }): Buffer {
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(start, start + size);
  if (method === 0) return bytes;
  if (method === 8) return inflateRawSync(bytes);
  throw new Error(`The zip archive uses the unsupported compression method ${method}.`);
}
