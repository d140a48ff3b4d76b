// Finds out whether a package can be trusted, before a page or a comparison shows its content.

import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import type { SummaryJson } from '../evidence/models/summaryModel.js';
import type { TrustProblem } from '../evidence/readPackage.js';
import { readPathKind } from '../system/files/files.js';
import { verifyPackage } from './verifyPackage.js';
import { checkPlaceInSuite, earlierPackageCode } from './verifySuite.js';

export function findTrustProblem(dir: string, { harness }: SummaryJson): TrustProblem | undefined {
  const isOfOtherRunner = readPathKind(join(dir, 'journal.jsonl')) === undefined && !isOwnHarness(harness);
  if (isOfOtherRunner) return { isBroken: false, why: 'the package has no journal, so it cannot be verified' };
  const { status, reason } = verifyPackage(dir);
  return status === 'verified' ? undefined : { isBroken: true, why: reason };
}

// A package of recipewright without a journal was changed, because recipewright always writes a journal.
function isOwnHarness(harness: unknown): boolean {
  return (harness as { name?: unknown } | undefined)?.name === 'recipewright';
}

/** Turns a finding into a problem. A package of an earlier run is not broken. */
export function toTrustProblem({ code, message }: Finding): TrustProblem {
  return { isBroken: code !== earlierPackageCode, why: message };
}

/** Returns the problem when the index of the suite lists another package than this one. */
export function findPlaceProblem(dir: string): TrustProblem | undefined {
  const finding = checkPlaceInSuite(dir);
  return finding && toTrustProblem(finding);
}
