// Writes a complete package again, with a fact that its journal does not have.

import { join } from 'node:path';
import { type PackageParts, type Summary, writePackage } from '../evidence/writePackage.js';
import { openReview } from '../pages/review/reviewPage.js';
import { readPackageParts } from './readPackageParts.js';
import { scanJournal } from './scanJournal.js';

/** Adds a failure that the host saw outside the journal. A pass becomes unknown. */
export function addHostFailure(dir: string, hostFailure: string): Summary {
  const parts = readPackageParts(dir, scanJournal(join(dir, 'journal.jsonl')));
  return writePackage(dir, { ...parts, inPlace: true, hostFailure, review: openReview }).summary;
}

/** Adds the tracked files that changed during the run. The verdict does not change. */
export function addTreeChanges(dir: string, treeChanges: readonly string[], review: PackageParts['review']): Summary {
  const parts = readPackageParts(dir, scanJournal(join(dir, 'journal.jsonl')));
  const allChanges = [...new Set([...(parts.treeChanges ?? []), ...treeChanges])];
  return writePackage(dir, { ...parts, inPlace: true, treeChanges: allChanges, review }).summary;
}
