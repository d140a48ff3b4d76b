// Searches files for secrets, before or after they are written: their names, their bytes, and the entries of zip archives.
// Does not search gzip and other packed data, or archives that are encoded as text.
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

/** `path` is not masked, because callers remove the file. Mask the path before you print it. `entry` is masked already. */
type Leak = { path: string; entry?: string; name: string; where: 'content' | 'name' };
/** A file that could not be searched. It may contain secrets. */
type Unreadable = { path: string; entry?: string; where: 'unreadable'; why: string };
export type ScanFinding = Leak | Unreadable;

export type ScanOptions = { limits?: Partial<ZipLimits> };

/** An archive in an archive is searched, but not an archive inside that one. */
const maxArchiveDepth = 2;

/** Searches every file below a directory. A missing directory has no files. */
export function scanFiles(dir: string, vault: Vault, options: ScanOptions = {}): ScanFinding[] {
  const scan = openScan(vault, options);
  if (vault.names.length === 0) return [];
  for (const { path, kind } of tryOrAddFinding(scan, { path: '' }, () => listEntriesBelow(dir)) ?? []) {
    const place = { path };
    addLeaks(scan, { place, where: 'name', names: vault.find(Buffer.from(path)) });
    tryOrAddFinding(scan, place, () => {
      if (kind === 'file') withFileSource(join(dir, path), (source) => scanSource(scan, place, source));
      if (kind === 'link') addLeaks(scan, { place, where: 'content', names: vault.find(readLinkBytes(join(dir, path))) });
    });
  }
  return sortFindings(scan.findings);
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
    addLeaks(scan, { place: { path }, where: 'name', names: vault.find(Buffer.from(path)) });
    scanSource(scan, { path }, bufferSource(typeof content === 'string' ? Buffer.from(content) : content));
  }
  return sortFindings(scan.findings);
}

type ScanPlace = { path: string; entry?: string };
type Scan = { vault: Vault; limits: ZipLimits; findings: ScanFinding[]; bytesLeft: number };

function openScan(vault: Vault, { limits }: ScanOptions): Scan {
  const allLimits = { ...zipLimits, ...limits };
  return { vault, limits: allLimits, findings: [], bytesLeft: allLimits.totalBytes };
}

function scanSource(scan: Scan, place: ScanPlace, source: ByteSource, depth = 0): void {
  const masker = scan.vault.openStreamMasker();
  for (const chunk of readChunks(source)) masker.write(chunk);
  masker.end();
  const before = scan.findings.length;
  if (isZip(source)) tryOrAddFinding(scan, place, () => scanZip(scan, place, { source, depth: depth + 1 }));
  // The bytes of an archive also contain the secrets of its unpacked entries. Only the entries are reported then.
  const namesInEntries = new Set(scan.findings.slice(before).flatMap((leak) => (leak.where === 'unreadable' ? [] : [leak.name])));
  addLeaks(scan, { place, where: 'content', names: [...masker.found].filter((name) => !namesInEntries.has(name)) });
}

function scanZip(scan: Scan, place: ScanPlace, { source, depth }: { source: ByteSource; depth: number }): void {
  if (depth > maxArchiveDepth) throw new Error(`the archive is inside ${maxArchiveDepth} other archives`);
  const entries = readZipEntries(source, scan.limits);
  const budget = { bytes: computeUnpackLimit(source, entries, scan.limits) };
  for (const entry of entries) {
    const entryName = scan.vault.mask(entry.name.toString());
    const inner = { path: place.path, entry: place.entry === undefined ? entryName : `${place.entry}!/${entryName}` };
    addLeaks(scan, { place: inner, where: 'name', names: scan.vault.find(entry.name) });
    tryOrAddFinding(scan, inner, () => scanSource(scan, inner, unpack(scan, source, { entry, budget }), depth));
  }
}

type PackedEntry = { entry: ZipEntry; budget: { bytes: number } };

function unpack(scan: Scan, source: ByteSource, { entry, budget }: PackedEntry): ByteSource {
  const { entryBytes, ratio } = scan.limits;
  const content = openZipEntry(source, entry, { ratio, bytes: Math.min(entryBytes, scan.bytesLeft, budget.bytes) });
  if (entry.method === 0) return content;
  scan.bytesLeft -= content.size;
  budget.bytes -= content.size;
  return content;
}

function addLeaks(
  scan: Scan,
  { place, where, names }: { place: ScanPlace; where: Leak['where']; names: readonly string[] },
): void {
  for (const name of names) scan.findings.push({ ...place, name, where });
}

function tryOrAddFinding<T>(scan: Scan, place: ScanPlace, search: () => T): T | undefined {
  try {
    return search();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (place.path !== '' || code !== 'ENOENT') scan.findings.push({ ...place, where: 'unreadable', why: code ?? message });
    return undefined;
  }
}

function sortFindings(findings: readonly ScanFinding[]): ScanFinding[] {
  const key = (finding: ScanFinding): string =>
    [finding.path, finding.entry ?? '', finding.where, 'name' in finding ? finding.name : ''].join('\0');
  return [...findings].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
