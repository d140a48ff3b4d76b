// Claim by claim: whether a second run proves as much as a first.
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import type { ArtifactEntry } from '../../pages/review/media.js';

type ClaimChangeKind = 'same' | 'better' | 'worse' | 'added' | 'removed';

export type ClaimChange = { id: string; claim: string; before?: string; after?: string; change: ClaimChangeKind };

const statusRank: Readonly<Record<string, number>> = { proven: 2, blocked: 1, unproven: 1, refuted: 0 };

export function compareClaims({ proof: before = [] }: SummaryJson, { proof: after = [] }: SummaryJson): ClaimChange[] {
  const [old, now] = [before, after].map((proof) => new Map(proof.map((claim) => [claim.id, claim])));
  const ids = new Set([...before, ...after].map(({ id }) => id));
  return [...ids].map((id) => {
    const [was, is] = [old?.get(id), now?.get(id)];
    const claim = is?.claim ?? was?.claim ?? '';
    if (!was) return { id, claim, after: is?.status ?? '', change: 'added' };
    if (!is) return { id, claim, before: was.status, change: 'removed' };
    const difference = (statusRank[is.status] ?? 0) - (statusRank[was.status] ?? 0);
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

// The claims of a package whose runner gave no verdict on them: those that its recipe declares and its evidence names.

type Proof = NonNullable<SummaryJson['proof']>;

type PackageWithoutVerdict = { recipe: unknown; trace: readonly TraceEntryJson[]; artifacts: readonly ArtifactEntry[] };

/** Nothing but a verdict proves: such a claim is unproven at best, and refuted when a node that serves it failed. */
export function deriveClaims({ recipe, trace, artifacts }: PackageWithoutVerdict): Proof {
  const claimTexts = new Map<string, string>(declaredClaims(recipe));
  const nodesByClaim = new Map<string, Set<string>>();
  const note = (claim: string, node: string | null | undefined, text: string | null = claim): void => {
    if (!claimTexts.has(claim)) claimTexts.set(claim, text ?? claim);
    nodesByClaim.set(claim, (nodesByClaim.get(claim) ?? new Set()).add(node ?? ''));
  };
  for (const { proofTarget, nodeId, label } of artifacts) if (proofTarget) note(proofTarget, nodeId, label);
  for (const { nodeId, id, proofTarget, proves = [] } of trace)
    for (const claim of new Set([...proves, ...(proofTarget ? [proofTarget] : [])])) note(claim, nodeId ?? id);
  const failed = new Set(trace.filter(({ ok }) => !ok).map(({ nodeId, id }) => nodeId ?? id));
  return [...claimTexts].map(([id, claim]) => {
    const isRefuted = [...(nodesByClaim.get(id) ?? [])].some((node) => failed.has(node));
    return { id, claim, status: isRefuted ? 'refuted' : 'unproven' };
  });
}

function declaredClaims(recipe: unknown): [string, string][] {
  const { proofTargets } = Object(recipe) as { proofTargets?: unknown };
  const listed = Array.isArray(proofTargets) ? proofTargets : [];
  return listed.flatMap((target) => {
    const { id, claim } = Object(target) as { id?: unknown; claim?: unknown };
    return typeof id === 'string' ? [[id, typeof claim === 'string' ? claim : id] as [string, string]] : [];
  });
}
