// What an index says of a run that goes on, of recipes that left no package, and of their claims.
import type { Status } from '../recipe/recipe.js';
import type { SummaryJson } from './models/summary.js';
import type { DeclaredClaim, Suite } from './suiteIndex.js';

export const neverBegan = 'The run was over before it began.';

export const stillRunning =
  'This run has begun and has not ended. If nothing runs any more, it was killed: what has no verdict here is unknown.';

type Titled = Pick<Suite, 'state'> & { selection?: readonly string[]; problems?: readonly string[] } & {
  totals: Pick<Totals, 'declared' | 'executed' | 'passed' | 'not_run'>;
};

/** The first line of every index: it never says more than what is known. */
export function suiteTitle({ state, selection = [], totals, problems = [] }: Titled, recipes = ''): string {
  const { declared, executed, passed, not_run } = totals;
  if (state === 'running') return `${declared}${recipes} planned, ${executed} finished: unknown`;
  const why = selection.length > 0 ? ` (${selection.join(' ')})` : '';
  return `${passed} of ${declared}${recipes} passed${not_run > 0 ? `, ${not_run} not run${why}` : ''}${runFailed(problems)}`;
}

/** The end of a title: recipes that passed do not make a run green that failed otherwise. */
function runFailed(problems: readonly string[]): string {
  return problems.length > 0 ? ', but the run failed' : '';
}

export type Totals = Record<
  'declared' | 'executed' | 'not_executed' | 'passed' | 'failed' | 'unknown' | 'skipped' | 'not_run',
  number
>;

type Counted = { kind?: unknown; status?: unknown; outcome?: unknown };

/** What follows from the entries of an index; whoever counts otherwise changed it. */
export function totalsOf(resolutions: readonly Counted[]): Totals {
  const verdicts = resolutions.filter(({ kind }) => kind === 'verdict');
  const others = resolutions.filter(({ kind }) => kind !== 'verdict');
  const passed = verdicts.filter(({ status }) => status === 'pass').length;
  const failed = verdicts.filter(({ status }) => status === 'fail').length;
  const skipped = others.filter(({ outcome }) => outcome === 'skipped').length;
  const not_run = others.filter(({ outcome }) => outcome === 'not_run').length;
  return {
    declared: resolutions.length,
    executed: verdicts.length,
    not_executed: others.length,
    passed,
    failed,
    // What never came is not known to be anything else.
    unknown: resolutions.length - passed - failed - skipped - not_run,
    skipped,
    not_run,
  };
}

/** What all recipes of a run prove together. */
export function suiteStatus({ state, totals, problems = [] }: Pick<Suite, 'state' | 'totals' | 'problems'>): Status {
  if (state === 'running') return 'unknown';
  if (totals.failed > 0) return 'fail';
  const isOpen = totals.unknown + totals.not_run + problems.length > 0;
  return totals.passed > 0 && !isOpen ? 'pass' : 'unknown';
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
