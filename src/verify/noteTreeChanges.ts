// Writes a package again that is whole already, with the tracked files that changed while its run went on. The verdict stays.
import { join } from 'node:path';
import { type PackageParts, type Summary, writePackage } from '../evidence/package.js';
import { partsIn } from './partsIn.js';
import { surveyJournal } from './surveyJournal.js';

export function noteTreeChanges(dir: string, treeChanges: readonly string[], review: PackageParts['review']): Summary {
  const parts = partsIn(dir, surveyJournal(join(dir, 'journal.jsonl')));
  const all = [...new Set([...(parts.treeChanges ?? []), ...treeChanges])];
  return writePackage(dir, { ...parts, inPlace: true, treeChanges: all, review }).summary;
}
