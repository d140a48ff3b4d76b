// Which names in a package are free for what a run captures.
import { posix } from 'node:path';
import type { FileDigest } from '../system/files/atomicFile.js';
import { resolveInside } from '../system/files/files.js';
import type { Artifact } from './journal.js';

const ownNames = new Set([
  ...['recipe.json', 'summary.json', 'trace.json', 'journal.jsonl', 'artifact-manifest.json', 'workflow.json', 'issues.json'],
  ...['review.html', '.recipewright'],
]);

/** The authored document beside the recipe that ran. */
const authoredDocument = /^source\.(.*\.)?(json|md|ya?ml)$/;

/** A path inside of the package, in its one spelling, that is not one of the package's own; file systems may ignore case. */
export function isArtifactPath(path: string): boolean {
  const name = path.toLowerCase();
  const isOurs = ownNames.has(name) || name.startsWith('.recipewright') || authoredDocument.test(name);
  return resolveInside('/', path) !== undefined && posix.normalize(path) === path && !isOurs;
}
/** What a run that was refused has to say of it. */

export const refusedFile = 'findings.json';
/** The page for people. */

export const reviewFile = 'review.html';
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
export const ownFiles: readonly OwnFile[] = [
  ['recipe.json', 'recipe', 'Executed recipe'],
  ['summary.json', 'summary', 'Run summary'],
  ['trace.json', 'trace', 'Execution trace'],
  ['journal.jsonl', 'log', 'Journal'],
  ['issues.json', 'json', 'Issues', 'diagnostic'],
  [reviewFile, 'report', 'Review page'],
];
export type OwnFile = readonly [path: string, type: string, label: string, category?: string];
