// What the package in a directory was made of, to make it again.
import { join } from 'node:path';
import { safePath } from '../evidence/models/fields.js';
import { refusedFile } from '../evidence/packageFiles.js';
import type { PackageParts } from '../evidence/writePackage.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readBytes, resolveInside } from '../system/files/files.js';
import { readBounded } from '../system/files/readBounded.js';
import { readLines } from '../system/files/readLines.js';
import type { JournalScan } from './scanJournal.js';

type SummaryFacts = { recipe?: { id?: unknown }; host_failure?: unknown; git_changes_in_run?: unknown };

export function readPackageParts(dir: string, { run, file }: Pick<JournalScan, 'run' | 'file'>): PackageParts {
  const { recipe: named, host_failure, git_changes_in_run } = (readJson(join(dir, 'summary.json')) ?? {}) as SummaryFacts;
  const treeChanges = keepTexts(git_changes_in_run);
  return {
    id: String(named?.id ?? ''),
    recipe: readJson(join(dir, 'recipe.json')),
    journal: readLines(file),
    findArtifact: (path) => digestFile(resolveInside(dir, path) ?? ''),
    documents: readDocuments(dir, { began: run !== undefined }),
    ...(typeof host_failure === 'string' ? { hostFailure: host_failure } : {}),
    ...(treeChanges.length > 0 ? { treeChanges } : {}),
  };
}

// What a host hands over besides is not in the journal: it is held against its digest only.
function readDocuments(dir: string, { began }: { began: boolean }): Map<string, Uint8Array> {
  const isDocument = (path: string, type?: string): boolean =>
    path === refusedFile ? !began : type === 'recipe' && path !== 'recipe.json';
  const documents = (readManifestFiles(dir) ?? []).filter(
    ({ path, type, category }) => category === 'system' && isDocument(path, type),
  );
  return new Map(documents.map(({ path }) => [path, readBytes(join(dir, path))]));
}

/** The tracked files that changed while the run of a package went on, as its host saw when it had ended. */
export function readTreeChanges(dir: string): string[] {
  return keepTexts((Object(readJson(join(dir, 'summary.json'))) as SummaryFacts).git_changes_in_run);
}

function keepTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
}

// The list of a manifest as far as it can be read; its shape is checked elsewhere.

export type ListedFile = { path: string; type?: string; category?: string; sha256?: string; size?: number };

/** Undefined when there is no manifest that could be read. */
export function readManifestFiles(dir: string): ListedFile[] | undefined {
  const { artifacts } = (readJson(join(dir, 'artifact-manifest.json')) ?? {}) as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return undefined;
  return artifacts.filter((entry): entry is ListedFile => typeof entry?.path === 'string' && safePath.test(entry.path));
}

export function readJson(file: string): unknown {
  const read = readBounded(file, 256_000_000);
  if (!('bytes' in read)) return undefined;
  try {
    return JSON.parse(read.bytes.toString()) as unknown;
  } catch {
    // SyntaxError: reported by the check of the document.
    return undefined;
  }
}
