// The claims of a package whose runner gave no verdict on them: those that its recipe declares and its evidence names.
import type { SummaryJson } from '../../evidence/models/summary.js';
import type { TraceEntryJson } from '../../evidence/models/trace.js';
import type { ArtifactEntry } from '../../pages/review/media.js';

type Proof = NonNullable<SummaryJson['proof']>;

export type OthersPackage = { recipe: unknown; trace: readonly TraceEntryJson[]; artifacts: readonly ArtifactEntry[] };

/** Nothing but a verdict proves: such a claim is unproven at best, and refuted when a node that serves it failed. */
export function claimsOfOthers({ recipe, trace, artifacts }: OthersPackage): Proof {
  const words = new Map<string, string>(declaredIn(recipe));
  const servants = new Map<string, Set<string>>();
  const note = (claim: string, node: string | null | undefined, said: string | null = claim): void => {
    if (!words.has(claim)) words.set(claim, said ?? claim);
    servants.set(claim, (servants.get(claim) ?? new Set()).add(node ?? ''));
  };
  for (const { proofTarget, nodeId, label } of artifacts) if (proofTarget) note(proofTarget, nodeId, label);
  for (const { nodeId, id, proofTarget, proves = [] } of trace)
    for (const claim of new Set([...proves, ...(proofTarget ? [proofTarget] : [])])) note(claim, nodeId ?? id);
  const failed = new Set(trace.filter(({ ok }) => !ok).map(({ nodeId, id }) => nodeId ?? id));
  return [...words].map(([id, claim]) => {
    const isRefuted = [...(servants.get(id) ?? [])].some((node) => failed.has(node));
    return { id, claim, status: isRefuted ? 'refuted' : 'unproven' };
  });
}

function declaredIn(recipe: unknown): [string, string][] {
  const { proofTargets } = Object(recipe) as { proofTargets?: unknown };
  const listed = Array.isArray(proofTargets) ? proofTargets : [];
  return listed.flatMap((target) => {
    const { id, claim } = Object(target) as { id?: unknown; claim?: unknown };
    return typeof id === 'string' ? [[id, typeof claim === 'string' ? claim : id] as [string, string]] : [];
  });
}
