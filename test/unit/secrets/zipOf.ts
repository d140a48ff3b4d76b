// Writes zip archives, including invalid and malicious ones.
import { crc32, deflateRawSync } from 'node:zlib';

export type Zipped = { content: string | Uint8Array; stored?: boolean; method?: number; flags?: number; mode?: number };

export function zipOf(files: Readonly<Record<string, string | Uint8Array | Zipped>>, comment = ''): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, entry] of Object.entries(files)) {
    const file = typeof entry === 'string' || entry instanceof Uint8Array ? { content: entry } : entry;
    const { local, central } = entryOf(Buffer.from(name), file, offset);
    locals.push(local);
    directory.push(central);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  for (const at of [8, 10]) end.writeUInt16LE(directory.length, at);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...locals, listed, end, Buffer.from(comment)]);
}

function entryOf(name: Buffer, file: Zipped, offset: number): { local: Buffer; central: Buffer } {
  const content = Buffer.from(file.content);
  const body = file.stored ? content : deflateRawSync(content);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20);
  fields.writeUInt16LE(file.flags ?? 0, 2);
  fields.writeUInt16LE(file.method ?? (file.stored ? 0 : 8), 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(body.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const place = Buffer.alloc(14);
  place.writeUInt16LE(file.mode ?? 0, 8);
  place.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, body]),
    central: Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, place, name]),
  };
}
