// Compares the claims of two runs.
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import type { ArtifactEntry } from '../../pages/review/media.js';

type ClaimChangeKind = 'same' | 'better' | 'worse' | 'added' | 'removed';

export type ClaimChange = { id: string; claim: string; before?: string; after?: string; change: ClaimChangeKind };

const statusRank: Readonly<Record<string, number>> = { proven: 2, blocked: 1, unproven: 1, refuted: 0 };

export function compareClaims(summaryBefore: SummaryJson, summaryAfter: SummaryJson): ClaimChange[] {
  const claimsBefore = claimsById(summaryBefore);
  const claimsAfter = claimsById(summaryAfter);
  const ids = new Set([...claimsBefore.keys(), ...claimsAfter.keys()]);
  return [...ids].map((id) => {
    const [before, after] = [claimsBefore.get(id), claimsAfter.get(id)];
    const claim = after?.claim ?? before?.claim ?? '';
    if (!before) return { id, claim, after: after?.status ?? '', change: 'added' };
    if (!after) return { id, claim, before: before.status, change: 'removed' };
    const difference = (statusRank[after.status] ?? 0) - (statusRank[before.status] ?? 0);
    const change = difference < 0 ? 'worse' : difference > 0 ? 'better' : 'same';
    return { id, claim, before: before.status, after: after.status, change };
  });
}

function claimsById({ proof = [] }: SummaryJson): Map<string, Proof[number]> {
  return new Map(proof.map((claim) => [claim.id, claim]));
}

/** Removing a proven claim, or adding one that is refuted, is as bad as a claim that got worse. */
export function isWorse(claim: ClaimChange): boolean {
  const { change, before } = claim;
  return change === 'worse' || (change === 'removed' && before === 'proven') || isNewAndRefuted(claim);
}

export function isNewAndRefuted({ change, after }: ClaimChange): boolean {
  return change === 'added' && after === 'refuted';
}

/** A new claim only counts as better when it is proven. */
export function isBetter({ change, after }: ClaimChange): boolean {
  return change === 'better' || (change === 'added' && after === 'proven');
}

type Proof = NonNullable<SummaryJson['proof']>;

type PackageWithoutVerdict = { recipe: unknown; trace: readonly TraceEntryJson[]; artifacts: readonly ArtifactEntry[] };

/**
 * Derives the claims of a package whose runner wrote no verdict on them, from its recipe and its evidence. Only a verdict proves a
 * claim, so each claim is unproven, or refuted when a node of the claim failed.
 */
export function deriveClaims({ recipe, trace, artifacts }: PackageWithoutVerdict): Proof {
  const claimTexts = new Map<string, string>(declaredClaims(recipe));
  const nodesByClaim = new Map<string, Set<string>>();
  const addNode = (claim: string, node: string | null | undefined, text: string | null = claim): void => {
    if (!claimTexts.has(claim)) claimTexts.set(claim, text ?? claim);
    nodesByClaim.set(claim, (nodesByClaim.get(claim) ?? new Set()).add(node ?? ''));
  };
  for (const { proofTarget, nodeId, label } of artifacts) if (proofTarget) addNode(proofTarget, nodeId, label);
  for (const { nodeId, id, proofTarget, proves = [] } of trace)
    for (const claim of new Set([...proves, ...(proofTarget ? [proofTarget] : [])])) addNode(claim, nodeId ?? id);
  const failedNodes = new Set(trace.filter(({ ok }) => !ok).map(({ nodeId, id }) => nodeId ?? id));
  return [...claimTexts].map(([id, claim]) => {
    const isRefuted = [...(nodesByClaim.get(id) ?? [])].some((node) => failedNodes.has(node));
    return { id, claim, status: isRefuted ? 'refuted' : 'unproven' };
  });
}

function declaredClaims(recipe: unknown): [string, string][] {
  const { proofTargets } = Object(recipe) as { proofTargets?: unknown };
  const targets = Array.isArray(proofTargets) ? proofTargets : [];
  return targets.flatMap((target) => {
    const { id, claim } = Object(target) as { id?: unknown; claim?: unknown };
    return typeof id === 'string' ? [[id, typeof claim === 'string' ? claim : id] as [string, string]] : [];
  });
}
