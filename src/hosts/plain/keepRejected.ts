// The package of a run that did not begin: nothing of it ran, and it says of which failure class that is.
import type { Finding } from '../../document/finding.js';
import { exitCodes } from '../../evidence/exitCodes.js';
import { collectDocuments } from '../../run/packageDocuments.js';
import { isSystemError } from '../../system/files/systemErrors.js';
import type { Rejection, Whole } from '../shared/refused.js';
import { type NotTaken, takeArtifactsDir, unusable } from './artifactsDir.js';
import { finishPackage, partsOf } from './finishPackage.js';

type Why = Pick<Rejection, 'documents'> & { findings: readonly Finding[] };

/** Comes back with what kept it from being written. */
export async function keepRejected(dir: string, of: Whole, { documents, findings }: Why): Promise<NotTaken | undefined> {
  const taken = takeArtifactsDir(dir);
  if ('refused' in taken) return taken;
  try {
    const { openReview } = await import('../../pages/review/reviewPage.js');
    const hostFailure = findings.find(({ severity }) => severity === 'error')?.message ?? '';
    const all = new Map([...collectDocuments(of.loaded), ...documents]);
    finishPackage(taken, { ...partsOf(of, taken), documents: all, hostFailure, review: openReview });
    return undefined;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return { refused: unusable(dir, thrown), exitCode: exitCodes.environment };
  } finally {
    taken.release();
  }
}
