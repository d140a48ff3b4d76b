// Whether what a package says about itself may be shown to somebody as it is.
import { join } from 'node:path';
import type { Doubt } from '../evidence/doubt.js';
import type { SummaryJson } from '../evidence/models/summary.js';
import { readPathKind } from '../system/files/files.js';
import { verifyPackage } from './verifyPackage.js';

export function doubtOf(dir: string, { harness }: SummaryJson): Doubt | undefined {
  const ofOthers = readPathKind(join(dir, 'journal.jsonl')) === undefined && !isOurs(harness);
  if (ofOthers) return { isBroken: false, why: 'the package has no journal: nothing vouches for what it says' };
  const { status, reason } = verifyPackage(dir);
  return status === 'verified' ? undefined : { isBroken: true, why: reason };
}

// Ours without a journal was robbed of it.
function isOurs(harness: unknown): boolean {
  return (harness as { name?: unknown } | undefined)?.name === 'recipewright';
}
