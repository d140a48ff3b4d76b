// What an index says of a run that goes on, of recipes that left no package, and of their claims.
import type { SummaryJson } from './models/summary.js';
import type { DeclaredClaim, Suite } from './suiteIndex.js';

export const neverBegan = 'The run was over before it began.';

export const stillRunning =
  'This run has begun and has not ended. If nothing runs any more, it was killed: what has no verdict here is unknown.';

/** The first line of every index: it never says more than what is known. */
export function suiteTitle({ state, selection = [], totals }: Pick<Suite, 'state' | 'selection' | 'totals'>): string {
  const { declared, executed, passed, not_run } = totals;
  if (state === 'running') return `${declared} planned, ${executed} finished: unknown`;
  const why = selection.length > 0 ? ` (${selection.join(' ')})` : '';
  return `${passed} of ${declared} passed${not_run > 0 ? `, ${not_run} not run${why}` : ''}`;
}

export const outcomeWords = { skipped: 'skipped', not_run: 'not run', unknown: 'unknown' } as const;

/** Undefined when there is a summary, which says it. */
export function outcomeOf(entry: {
  summary?: unknown;
  skipped?: boolean | undefined;
  notRun?: boolean | undefined;
}): keyof typeof outcomeWords | undefined {
  if (entry.summary) return undefined;
  return entry.skipped ? 'skipped' : entry.notRun ? 'not_run' : 'unknown';
}

export type ListedClaim = {
  name: string;
  id: string;
  claim: string;
  status: 'proven' | 'refuted' | 'unproven' | 'blocked' | 'not run';
  reason?: string | undefined;
};

type WithClaims = Parameters<typeof outcomeOf>[0] & {
  name: string;
  summary?: Pick<SummaryJson, 'proof'> | undefined;
  claims?: readonly DeclaredClaim[] | undefined;
  detail?: string | undefined;
};

/** What a recipe that never began declares is unproven; what was left out on purpose is not run. */
export function claimsOf(entry: WithClaims): ListedClaim[] {
  const { name, summary, claims = [], detail } = entry;
  const proof = summary?.proof ?? [];
  if (proof.length > 0) return proof.map((claim) => ({ name, ...claim }));
  const status = summary || outcomeOf(entry) === 'unknown' ? 'unproven' : 'not run';
  const reason = summary ? 'the run never began' : (detail ?? neverBegan);
  return claims.map(({ id, claim }) => ({ name, id, claim, status, reason }));
}
