// Claim by claim: whether a second run proves as much as a first.
import type { SummaryJson } from '../../evidence/models/summary.js';

export type Change = 'same' | 'better' | 'worse' | 'added' | 'removed';

export type ClaimChange = { id: string; claim: string; before?: string; after?: string; change: Change };

const worth: Readonly<Record<string, number>> = { proven: 2, blocked: 1, unproven: 1, refuted: 0 };

export function compareClaims({ proof: before = [] }: SummaryJson, { proof: after = [] }: SummaryJson): ClaimChange[] {
  const [old, now] = [before, after].map((proof) => new Map(proof.map((claim) => [claim.id, claim])));
  const ids = new Set([...before, ...after].map(({ id }) => id));
  return [...ids].map((id) => {
    const [was, is] = [old?.get(id), now?.get(id)];
    const claim = is?.claim ?? was?.claim ?? '';
    if (!was) return { id, claim, after: is?.status ?? '', change: 'added' };
    if (!is) return { id, claim, before: was.status, change: 'removed' };
    const difference = (worth[is.status] ?? 0) - (worth[was.status] ?? 0);
    const change = difference < 0 ? 'worse' : difference > 0 ? 'better' : 'same';
    return { id, claim, before: was.status, after: is.status, change };
  });
}

/** A claim that was proven and is not made any more is as much a loss as one that fell, or as a new one that is refuted. */
export function isWorse(claim: ClaimChange): boolean {
  const { change, before } = claim;
  return change === 'worse' || (change === 'removed' && before === 'proven') || isNewAndRefuted(claim);
}

export function isNewAndRefuted({ change, after }: ClaimChange): boolean {
  return change === 'added' && after === 'refuted';
}

/** To claim something is no gain as long as it is not proven. */
export function isBetter({ change, after }: ClaimChange): boolean {
  return change === 'better' || (change === 'added' && after === 'proven');
}
