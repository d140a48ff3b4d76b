// The names of a package's own files. Artifacts may have any other name.

import { posix } from 'node:path';
import type { FileDigest } from '../system/files/atomicFile.js';
import { resolveInside } from '../system/files/files.js';
import type { Artifact } from './models/journalLine.js';

/** The findings of a document that was refused, so that no run began. */
export const refusedFile = 'findings.json';

export const reviewFile = 'review.html';

const ownNames = new Set([
  'recipe.json',
  'summary.json',
  'trace.json',
  'journal.jsonl',
  'artifact-manifest.json',
  'workflow.json',
  'issues.json',
  reviewFile,
  '.recipewright',
]);

/** The document that the author wrote. `recipe.json` is the recipe that ran. */
const authoredDocument = /^source\.(.*\.)?(json|md|ya?ml)$/;

/** Returns whether an artifact may have this path: normalized, inside the package, and not the name of an own file in any letter case. */
export function isArtifactPath(path: string): boolean {
  const name = path.toLowerCase();
  const isOwn = ownNames.has(name) || name.startsWith('.recipewright') || authoredDocument.test(name);
  return resolveInside('/', path) !== undefined && posix.normalize(path) === path && !isOwn;
}

type OwnFile = readonly [path: string, type: string, label: string, category?: string];

const ownFiles: readonly OwnFile[] = [
  ['recipe.json', 'recipe', 'Executed recipe'],
  ['summary.json', 'summary', 'Run summary'],
  ['trace.json', 'trace', 'Execution trace'],
  ['journal.jsonl', 'log', 'Journal'],
  ['issues.json', 'json', 'Issues', 'diagnostic'],
  [reviewFile, 'report', 'Review page'],
];

/** Returns the manifest entries of those own files of the package that were written. */
export function listOwnFiles(files: ReadonlyMap<string, FileDigest>, documents: ReadonlyMap<string, unknown>): Artifact[] {
  const documentFiles = [...documents.keys()].map((path): OwnFile => {
    if (path === refusedFile) return [path, 'log', 'Findings of a run that did not begin'];
    return [path, 'recipe', path === 'workflow.json' ? 'Normalized workflow' : 'Authored recipe'];
  });
  return [...ownFiles, ...documentFiles].flatMap(([path, type, label, category = 'system']) => {
    const digest = files.get(path);
    return digest ? { path, type, label, category, ...digest } : [];
  });
}
