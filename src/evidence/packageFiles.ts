// The names of the files of a package, and which other names are free for artifacts.

import { posix } from 'node:path';
import type { FileDigest } from '../system/files/atomicFile.js';
import { resolveInside } from '../system/files/files.js';
import type { Artifact } from './models/journalLine.js';

/** The findings of a run that was refused. */
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

/** The document of the author, next to the recipe that ran. */
const authoredDocument = /^source\.(.*\.)?(json|md|ya?ml)$/;

/** Whether an artifact may have this path: normalized, inside the package, and not one of its own files in any case. */
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

/** The manifest entries of the package's own files, as far as they were written. */
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
