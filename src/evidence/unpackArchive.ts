// A package or a suite that came as a zip archive from anywhere: all of it is looked at before any of it is written.
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

/** Says what is wrong with the archive. */
export class UnsafeArchive extends Error {}

type NamedEntry = { name: string; entry: ZipEntry };

/** Into an empty directory. @throws UnsafeArchive */
export function unpackArchive(file: string, dir: string, limits: ZipLimits = zipLimits): void {
  if (!isFile(file)) throw new UnsafeArchive(`There is no file ${file}.`);
  withFileSource(file, (source) => {
    const listed = refuseUnsafe(file, () => listFiles(source, limits));
    const entries = listed.map(({ entry }) => entry);
    let bytes = computeUnpackLimit(source, entries, limits);
    for (const { name, entry } of listed) {
      const content = refuseUnsafe(`${file}, ${JSON.stringify(name)}`, () => openContent(source, entry, { limits, bytes }));
      bytes -= content.size;
      const target = openAtomicFile(join(dir, name));
      for (const chunk of readChunks(content)) target.write(chunk);
      target.close();
    }
  });
}

function refuseUnsafe<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw new UnsafeArchive(`${what} is not unpacked: ${(thrown as Error).message}.`, { cause: thrown });
  }
}

function openContent(source: ByteSource, entry: ZipEntry, { limits, bytes }: { limits: ZipLimits; bytes: number }): ByteSource {
  const content = openZipEntry(source, entry, { ratio: limits.ratio, bytes: Math.min(limits.entryBytes, bytes) });
  if (content.size > Math.min(limits.entryBytes, bytes)) throw new Error(`there is room for ${bytes} bytes more`);
  return content;
}

function listFiles(source: ByteSource, limits: ZipLimits): NamedEntry[] {
  const entries = readZipEntries(source, limits).map((entry) => ({ entry, name: checkName(entry) }));
  // Entries that share their bytes unpack to any size.
  const packed = entries.reduce((sum, { entry }) => sum + entry.packedBytes, 0);
  const places = new Set(entries.map(({ entry }) => entry.localOffset));
  if (packed > source.size || places.size < entries.length) throw new Error('its entries lie over each other');
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  refuseClashes(files.map(({ name }) => name));
  return files;
}

const driveLetter = /^[A-Za-z]:/;

function checkName({ name: bytes, mode }: ZipEntry): string {
  const name = bytes.toString();
  const quotedName = JSON.stringify(name.slice(0, 200));
  const pathName = name.replace(/\/$/, '');
  if (!Buffer.from(name).equals(bytes)) throw new Error(`the name ${quotedName} is no UTF-8`);
  if (/\p{C}/u.test(name)) throw new Error(`the name ${quotedName} has a character that nobody sees`);
  if (name.includes('\\') || driveLetter.test(name)) throw new Error(`the name ${quotedName} is one of Windows`);
  const isOutside =
    pathName === '' || pathName.startsWith('/') || pathName.split('/').includes('..') || posix.normalize(pathName) !== pathName;
  if (isOutside) throw new Error(`the name ${quotedName} leads out of it, or is written in a roundabout way`);
  // Nothing, a file, a directory: all else is a link, a pipe or a device.
  const kind = mode & 0xf000;
  const allowed = name.endsWith('/') ? [0, 0x4000] : [0, 0x8000];
  if (!allowed.includes(kind)) throw new Error(`${quotedName} is a link, or no file`);
  return name;
}

// Two files of one name, or a file where a directory has to be; file systems may ignore case.
function refuseClashes(names: readonly string[]): void {
  const files = new Set<string>();
  for (const name of names.map((given) => given.normalize().toLowerCase())) {
    if (files.has(name)) throw new Error(`it has ${JSON.stringify(name)} twice`);
    files.add(name);
  }
  for (const name of files)
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (files.has(name.slice(0, at))) throw new Error(`${JSON.stringify(name.slice(0, at))} is a file and a directory`);
}
