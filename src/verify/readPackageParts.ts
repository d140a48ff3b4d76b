// Reads the parts of a package back from its directory, so that the package can be written again.

import { join } from 'node:path';
import { omitUndefined } from '../document/omitUndefined.js';
import { safePath } from '../evidence/models/fields.js';
import { readJson } from '../evidence/packageDocuments.js';
import { refusedFile } from '../evidence/packageFiles.js';
import type { PackageParts } from '../evidence/writePackage.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readBytes, resolveInside } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import type { JournalScan } from './scanJournal.js';

type SummaryFacts = { recipe?: { id?: unknown }; host_failure?: unknown; git_changes_in_run?: unknown };

export function readPackageParts(dir: string, { run, file }: Pick<JournalScan, 'run' | 'file'>): PackageParts {
  const { recipe, host_failure, git_changes_in_run } = (readJson(join(dir, 'summary.json')) ?? {}) as SummaryFacts;
  const treeChanges = filterTexts(git_changes_in_run);
  return {
    id: String(recipe?.id ?? ''),
    recipe: readJson(join(dir, 'recipe.json')),
    journal: readLines(file),
    findArtifact: (path) => digestFile(resolveInside(dir, path) ?? ''),
    documents: readDocuments(dir, { isRefused: run === undefined }),
    ...omitUndefined({
      hostFailure: typeof host_failure === 'string' ? host_failure : undefined,
      treeChanges: treeChanges.length > 0 ? treeChanges : undefined,
    }),
  };
}

// Additional documents of the host are not in the journal, so only their digests are checked.
function readDocuments(dir: string, { isRefused }: { isRefused: boolean }): Map<string, Uint8Array> {
  const isDocument = (path: string, type?: string): boolean =>
    path === refusedFile ? isRefused : type === 'recipe' && path !== 'recipe.json';
  const documents = (readManifestFiles(dir) ?? []).filter(
    ({ path, type, category }) => category === 'system' && isDocument(path, type),
  );
  return new Map(documents.map(({ path }) => [path, readBytes(join(dir, path))]));
}

/** The tracked files that changed during the run of a package, as its host saw at the end. */
export function readTreeChanges(dir: string): string[] {
  return filterTexts((Object(readJson(join(dir, 'summary.json'))) as SummaryFacts).git_changes_in_run);
}

function filterTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
}

export type ListedFile = { path: string; type?: string; category?: string; sha256?: string; size?: number };

/** The files that the manifest lists, as far as they are readable, or undefined without a manifest. Other checks report its shape. */
export function readManifestFiles(dir: string): ListedFile[] | undefined {
  const { artifacts } = (readJson(join(dir, 'artifact-manifest.json')) ?? {}) as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return undefined;
  return artifacts.filter((entry): entry is ListedFile => typeof entry?.path === 'string' && safePath.test(entry.path));
}
