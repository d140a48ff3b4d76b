// What the package in a directory was made of, to make it again.
import { join } from 'node:path';
import { refusedFile } from '../evidence/assemble.js';
import type { PackageParts } from '../evidence/package.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readBytes, resolveInside } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import { jsonAt, listedIn } from './listedIn.js';
import type { Survey } from './surveyJournal.js';

type Recorded = { recipe?: { id?: unknown }; host_failure?: unknown; git_changes_in_run?: unknown };

export function partsIn(dir: string, { run, file }: Pick<Survey, 'run' | 'file'>): PackageParts {
  const { recipe: named, host_failure, git_changes_in_run } = (jsonAt(join(dir, 'summary.json')) ?? {}) as Recorded;
  const treeChanges = textsIn(git_changes_in_run);
  return {
    id: String(named?.id ?? ''),
    recipe: jsonAt(join(dir, 'recipe.json')),
    journal: readLines(file),
    artifact: (path) => digestFile(resolveInside(dir, path) ?? ''),
    documents: documentsIn(dir, { began: run !== undefined }),
    ...(typeof host_failure === 'string' ? { hostFailure: host_failure } : {}),
    ...(treeChanges.length > 0 ? { treeChanges } : {}),
  };
}

// What a host hands over besides is not in the journal: it is held against its digest only.
function documentsIn(dir: string, { began }: { began: boolean }): Map<string, Uint8Array> {
  const isGiven = (path: string, type?: string): boolean =>
    path === refusedFile ? !began : type === 'recipe' && path !== 'recipe.json';
  const given = (listedIn(dir) ?? []).filter(({ path, type, category }) => category === 'system' && isGiven(path, type));
  return new Map(given.map(({ path }) => [path, readBytes(join(dir, path))]));
}

/** The tracked files that changed while the run of a package went on, as its host saw when it had ended. */
export function treeChangesNoted(dir: string): string[] {
  return textsIn((Object(jsonAt(join(dir, 'summary.json'))) as Recorded).git_changes_in_run);
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];
}
