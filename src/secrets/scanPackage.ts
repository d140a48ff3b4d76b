// Searches files for secrets, before or after they are kept: their names, their bytes, and the entries of zip archives.
// Not searched: gzip and other packed data, and archives that are encoded as text.
import { join } from 'node:path';
import {
  type ByteSource,
  bufferSource,
  listEntriesBelow,
  readChunks,
  readLinkBytes,
  withFileSource,
} from '../system/files/byteSource.js';
import type { Vault } from './vault.js';
import {
  computeUnpackLimit,
  isZip,
  openZipEntry,
  readZipEntries,
  type ZipEntry,
  type ZipLimits,
  zipLimits,
} from './zipEntries.js';

/** `path` is not masked, so that the file can be removed: mask it before you print it. `entry` is masked. */
type Leak = { path: string; entry?: string; name: string; where: 'content' | 'name' };
/** A file that could not be searched is not known to be clean. */
type Unreadable = { path: string; entry?: string; where: 'unreadable'; why: string };
export type ScanFinding = Leak | Unreadable;

export type ScanOptions = { limits?: Partial<ZipLimits> };

/** An archive in an archive is searched, one inside that is not. */
const maxArchiveDepth = 2;

/** Searches every file below a directory. A missing directory has none. */
export function scanFiles(dir: string, vault: Vault, options: ScanOptions = {}): ScanFinding[] {
  const scan = openScan(vault, options);
  if (vault.names.length === 0) return [];
  for (const { path, kind } of attempt(scan, { path: '' }, () => listEntriesBelow(dir)) ?? []) {
    const place = { path };
    report(scan, { place, where: 'name', names: vault.find(Buffer.from(path)) });
    attempt(scan, place, () => {
      if (kind === 'file') withFileSource(join(dir, path), (source) => scanSource(scan, place, source));
      if (kind === 'link') report(scan, { place, where: 'content', names: vault.find(readLinkBytes(join(dir, path))) });
    });
  }
  return sortFindings(scan.found);
}

/** Searches files that are not written yet. */
export function scanEntries(
  files: ReadonlyMap<string, string | Uint8Array>,
  vault: Vault,
  options: ScanOptions = {},
): ScanFinding[] {
  const scan = openScan(vault, options);
  if (vault.names.length === 0) return [];
  for (const [path, content] of files) {
    report(scan, { place: { path }, where: 'name', names: vault.find(Buffer.from(path)) });
    scanSource(scan, { path }, bufferSource(typeof content === 'string' ? Buffer.from(content) : content));
  }
  return sortFindings(scan.found);
}

type ScanPlace = { path: string; entry?: string };
type Scan = { vault: Vault; limits: ZipLimits; found: ScanFinding[]; bytesLeft: number };

function openScan(vault: Vault, { limits }: ScanOptions): Scan {
  const all = { ...zipLimits, ...limits };
  return { vault, limits: all, found: [], bytesLeft: all.totalBytes };
}

function scanSource(scan: Scan, place: ScanPlace, source: ByteSource, depth = 0): void {
  const redactor = scan.vault.redactor();
  for (const chunk of readChunks(source)) redactor.write(chunk);
  redactor.end();
  const before = scan.found.length;
  if (isZip(source)) attempt(scan, place, () => scanZip(scan, place, { source, depth: depth + 1 }));
  // A secret in a stored entry is also found in the bytes of its archive; only the entry is reported.
  const inside = new Set(scan.found.slice(before).flatMap((leak) => (leak.where === 'unreadable' ? [] : [leak.name])));
  report(scan, { place, where: 'content', names: [...redactor.found].filter((name) => !inside.has(name)) });
}

function scanZip(scan: Scan, place: ScanPlace, { source, depth }: { source: ByteSource; depth: number }): void {
  if (depth > maxArchiveDepth) throw new Error(`it is an archive inside ${maxArchiveDepth} others`);
  const entries = readZipEntries(source, scan.limits);
  const room = { bytes: computeUnpackLimit(source, entries, scan.limits) };
  for (const entry of entries) {
    const entryName = scan.vault.mask(entry.name.toString());
    const inner = { path: place.path, entry: place.entry === undefined ? entryName : `${place.entry}!/${entryName}` };
    report(scan, { place: inner, where: 'name', names: scan.vault.find(entry.name) });
    attempt(scan, inner, () => scanSource(scan, inner, unpack(scan, source, { entry, room }), depth));
  }
}

type PackedEntry = { entry: ZipEntry; room: { bytes: number } };

function unpack(scan: Scan, source: ByteSource, { entry, room }: PackedEntry): ByteSource {
  const { entryBytes, ratio } = scan.limits;
  const content = openZipEntry(source, entry, { ratio, bytes: Math.min(entryBytes, scan.bytesLeft, room.bytes) });
  if (entry.method === 0) return content;
  scan.bytesLeft -= content.size;
  room.bytes -= content.size;
  return content;
}

function report(scan: Scan, { place, where, names }: { place: ScanPlace; where: Leak['where']; names: readonly string[] }): void {
  for (const name of names) scan.found.push({ ...place, name, where });
}

function attempt<T>(scan: Scan, place: ScanPlace, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (place.path !== '' || code !== 'ENOENT') scan.found.push({ ...place, where: 'unreadable', why: code ?? message });
    return undefined;
  }
}

function sortFindings(found: readonly ScanFinding[]): ScanFinding[] {
  const key = (one: ScanFinding): string => [one.path, one.entry ?? '', one.where, 'name' in one ? one.name : ''].join('\0');
  return [...found].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
