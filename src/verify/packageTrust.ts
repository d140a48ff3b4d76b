// Finds out whether a package can be trusted, before its content is shown.

import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import type { SummaryJson } from '../evidence/models/summaryModel.js';
import type { TrustProblem } from '../evidence/readPackage.js';
import { readPathKind } from '../system/files/files.js';
import { verifyPackage } from './verifyPackage.js';
import { checkPlaceInSuite, earlierPackageCode } from './verifySuite.js';

export function findTrustProblem(dir: string, { harness }: SummaryJson): TrustProblem | undefined {
  const isForeign = readPathKind(join(dir, 'journal.jsonl')) === undefined && !isOwnHarness(harness);
  if (isForeign) return { isBroken: false, why: 'the package has no journal, so it cannot be verified' };
  const { status, reason } = verifyPackage(dir);
  return status === 'verified' ? undefined : { isBroken: true, why: reason };
}

// A package of recipewright always has a journal. Without one, it was removed.
function isOwnHarness(harness: unknown): boolean {
  return (harness as { name?: unknown } | undefined)?.name === 'recipewright';
}

/** A package of an earlier run is intact. */
export function toTrustProblem({ code, message }: Finding): TrustProblem {
  return { isBroken: code !== earlierPackageCode, why: message };
}

/** The problem with a package that is not the one that the index of its suite lists. */
export function findPlaceProblem(dir: string): TrustProblem | undefined {
  const finding = checkPlaceInSuite(dir);
  return finding && toTrustProblem(finding);
}
