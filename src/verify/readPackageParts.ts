// Reads the parts of a package back from its directory, so that the package can be written again.

import { join } from 'node:path';
import { omitUndefined } from '../document/omitUndefined.js';
import { safePath } from '../evidence/models/fields.js';
import { refusedFile } from '../evidence/packageFiles.js';
import { readJson } from '../evidence/readPackageDocuments.js';
import type { PackageParts } from '../evidence/writePackage.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readBytes, resolveInside } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import type { JournalScan } from './scanJournal.js';

type SummaryFacts = { recipe?: { id?: unknown }; host_failure?: unknown; git_changes_in_run?: unknown };

export function readPackageParts(dir: string, { run, file }: Pick<JournalScan, 'run' | 'file'>): PackageParts {
  const { recipe, host_failure, git_changes_in_run } = (readJson(join(dir, 'summary.json')) ?? {}) as SummaryFacts;
  const treeChanges = filterStrings(git_changes_in_run);
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

// The host may add documents that do not follow from the journal. Only their digests can be checked.
function readDocuments(dir: string, { isRefused }: { isRefused: boolean }): Map<string, Uint8Array> {
  const isDocument = (path: string, type?: string): boolean =>
    path === refusedFile ? isRefused : type === 'recipe' && path !== 'recipe.json';
  const documents = (readManifestFiles(dir) ?? []).filter(
    ({ path, type, category }) => category === 'system' && isDocument(path, type),
  );
  return new Map(documents.map(({ path }) => [path, readBytes(join(dir, path))]));
}

/** Returns the tracked files that changed during the run, as the host saw at the end of the run. */
export function readTreeChanges(dir: string): string[] {
  return filterStrings((Object(readJson(join(dir, 'summary.json'))) as SummaryFacts).git_changes_in_run);
}

function filterStrings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

export type ListedFile = { path: string; type?: string; category?: string; sha256?: string; size?: number };

/** Returns the files that the manifest lists, or undefined without a manifest. Leaves out malformed entries, which `checkPackage` reports. */
export function readManifestFiles(dir: string): ListedFile[] | undefined {
  const { artifacts } = (readJson(join(dir, 'artifact-manifest.json')) ?? {}) as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return undefined;
  return artifacts.filter((entry): entry is ListedFile => typeof entry?.path === 'string' && safePath.test(entry.path));
}
