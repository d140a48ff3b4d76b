// Writes a package again that is whole already, with something that went wrong outside of its journal: a pass becomes unknown.
import { join } from 'node:path';
import { type PackageParts, type Summary, writePackage } from '../evidence/writePackage.js';
import { openReview } from '../pages/review/reviewPage.js';
import { readPackageParts } from './readPackageParts.js';
import { scanJournal } from './scanJournal.js';

export function addHostFailure(dir: string, hostFailure: string): Summary {
  const parts = readPackageParts(dir, scanJournal(join(dir, 'journal.jsonl')));
  return writePackage(dir, { ...parts, inPlace: true, hostFailure, review: openReview }).summary;
}

// Writes a package again that is whole already, with the tracked files that changed while its run went on. The verdict stays.

export function addTreeChanges(dir: string, treeChanges: readonly string[], review: PackageParts['review']): Summary {
  const parts = readPackageParts(dir, scanJournal(join(dir, 'journal.jsonl')));
  const all = [...new Set([...(parts.treeChanges ?? []), ...treeChanges])];
  return writePackage(dir, { ...parts, inPlace: true, treeChanges: all, review }).summary;
}
