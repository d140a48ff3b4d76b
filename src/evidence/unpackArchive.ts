// Unpacks a package or a suite from an untrusted zip archive. The names of all entries are checked before the first file is written.

import { join, posix } from 'node:path';
import {
  computeUnpackLimit,
  openZipEntry,
  readZipEntries,
  type ZipEntry,
  type ZipLimits,
  zipLimits,
} from '../secrets/zipEntries.js';
import { openAtomicFile } from '../system/files/atomicFile.js';
import { type ByteSource, readChunks, withFileSource } from '../system/files/byteSource.js';
import { isFile } from '../system/files/files.js';

/** Thrown for an archive that is not safe to unpack. */
export class UnsafeArchive extends Error {}

type NamedEntry = { name: string; entry: ZipEntry };

/** Unpacks an archive into an empty directory. @throws UnsafeArchive */
export function unpackArchive(file: string, dir: string, limits: ZipLimits = zipLimits): void {
  if (!isFile(file)) throw new UnsafeArchive(`There is no file ${file}.`);
  withFileSource(file, (source) => {
    const files = refuseUnsafe(file, () => listFiles(source, limits));
    const entries = files.map(({ entry }) => entry);
    let bytes = computeUnpackLimit(source, entries, limits);
    for (const { name, entry } of files) {
      const content = refuseUnsafe(`${file}, ${JSON.stringify(name)}`, () => openContent(source, entry, { limits, bytes }));
      bytes -= content.size;
      const target = openAtomicFile(join(dir, name));
      for (const chunk of readChunks(content)) target.write(chunk);
      target.close();
    }
  });
}

function refuseUnsafe<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new UnsafeArchive(`${subject} was not unpacked: ${(thrown as Error).message}.`, { cause: thrown });
  }
}

function openContent(source: ByteSource, entry: ZipEntry, { limits, bytes }: { limits: ZipLimits; bytes: number }): ByteSource {
  const content = openZipEntry(source, entry, { ratio: limits.ratio, bytes: Math.min(limits.entryBytes, bytes) });
  if (content.size > Math.min(limits.entryBytes, bytes)) throw new Error(`the entry has more than the remaining ${bytes} bytes`);
  return content;
}

function listFiles(source: ByteSource, limits: ZipLimits): NamedEntry[] {
  const entries = readZipEntries(source, limits).map((entry) => ({ entry, name: checkName(entry) }));
  // Entries that share bytes of the archive could unpack to any size.
  const packed = entries.reduce((sum, { entry }) => sum + entry.packedBytes, 0);
  const offsets = new Set(entries.map(({ entry }) => entry.localOffset));
  if (packed > source.size || offsets.size < entries.length) throw new Error('the entries of the archive overlap');
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  refuseClashes(files.map(({ name }) => name));
  return files;
}

const driveLetter = /^[A-Za-z]:/;

function checkName({ name: bytes, mode }: ZipEntry): string {
  const name = bytes.toString();
  const quotedName = JSON.stringify(name.slice(0, 200));
  const pathName = name.replace(/\/$/, '');
  if (!Buffer.from(name).equals(bytes)) throw new Error(`the name ${quotedName} is not UTF-8`);
  if (/\p{C}/u.test(name)) throw new Error(`the name ${quotedName} has an invisible character`);
  if (name.includes('\\') || driveLetter.test(name)) throw new Error(`the name ${quotedName} is a Windows path`);
  const isOutside =
    pathName === '' || pathName.startsWith('/') || pathName.split('/').includes('..') || posix.normalize(pathName) !== pathName;
  if (isOutside) throw new Error(`the name ${quotedName} is outside the archive's directory, or is not normalized`);
  // 0: unknown. 0x4000: a directory. 0x8000: a file. Other kinds are links, pipes and devices.
  const kind = mode & 0xf000;
  const allowed = name.endsWith('/') ? [0, 0x4000] : [0, 0x8000];
  if (!allowed.includes(kind)) throw new Error(`${quotedName} is a link or a special file`);
  return name;
}

// Refuses two files with the same name, and a file with the name of a directory. File systems may ignore case, so this check does.
function refuseClashes(names: readonly string[]): void {
  const files = new Set<string>();
  for (const name of names.map((original) => original.normalize().toLowerCase())) {
    if (files.has(name)) throw new Error(`the archive contains ${JSON.stringify(name)} twice`);
    files.add(name);
  }
  for (const name of files)
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (files.has(name.slice(0, at))) throw new Error(`${JSON.stringify(name.slice(0, at))} is both a file and a directory`);
}
