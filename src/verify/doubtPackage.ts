// Writes a package again that is whole already, with something that went wrong outside of its journal: a pass becomes unknown.
import { join } from 'node:path';
import { type Summary, writePackage } from '../evidence/package.js';
import { openReview } from '../pages/review/reviewPage.js';
import { partsIn } from './partsIn.js';
import { surveyJournal } from './surveyJournal.js';

export function doubtPackage(dir: string, hostFailure: string): Summary {
  const parts = partsIn(dir, surveyJournal(join(dir, 'journal.jsonl')));
  return writePackage(dir, { ...parts, inPlace: true, hostFailure, review: openReview }).summary;
}
