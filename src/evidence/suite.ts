// The model of a suite: its entries, totals, status, claims and coverage.

import type { Status } from '../recipe/recipe.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { Summary } from './summary.js';
import type { Commit } from './workTreeState.js';

export type SuiteEntry = {
  /** The path of the package, relative to the output directory. */
  name: string;
  /** The summary of the package. Missing when the recipe did not run. */
  summary?: Summary | undefined;
  /** The reason why the recipe did not run. */
  detail?: string;
  /** The test of the recipe is marked as skipped. */
  skipped?: boolean;
  /** The options of the run selected other recipes. */
  notRun?: boolean;
  /** The previous run had this recipe, and its document no longer exists. This index lists the recipe for the last time. */
  removed?: boolean;
  /** The claims that the document declares, for a recipe without a summary. */
  claims?: readonly DeclaredClaim[];
  /** The recipe passed only after a retry. */
  isFlaky?: boolean;
  /** The number of earlier attempts. */
  earlier?: number;
  /** The command that runs only this recipe again. */
  again?: string;
};

export type DeclaredClaim = { id: string; claim: string };

/** `running`: the run has not ended, or was killed. */
export type SuiteState = 'running' | 'finished';

export type Suite = {
  suite_id: string;
  state: SuiteState;
  /** The verdict on all recipes together. */
  status: Status;
  /** The time when the first recipe began. Without packages, the time when the index was written. */
  started_at: string;
  /** The work trees on which the packages were made. */
  commits?: Commit[];
  /** The options that selected only some of the recipes. */
  selection?: string[];
  scope_digest: string;
  totals: Totals;
  resolutions: Resolution[];
  /** Problems of the run outside the recipes, or of this index. */
  problems?: string[];
  /** Remarks on the run that are not problems. */
  notes?: string[];
};

type NotExecutedResolution = {
  id: string;
  kind: 'not_executed';
  reason_class: 'prerequisite_missing';
  outcome: 'unknown' | 'skipped' | 'not_run';
  detail: string;
  removed?: true;
  claims?: DeclaredClaim[];
};

export type Resolution =
  | (Pick<Summary, 'status' | 'reason'> & {
      id: string;
      kind: 'verdict';
      flaky?: true;
      summary_path: string;
      summary_digest: string;
    })
  | NotExecutedResolution;

/** Facts about the run as a whole. */
export type SuiteRun = {
  state?: SuiteState;
  selection?: readonly string[];
  /** The reasons why the run failed, even if all its recipes passed. */
  problems?: readonly string[];
  /** The time when the run began, for a run without packages. */
  startedAt?: string;
  notes?: readonly string[];
};

export const neverBeganText = 'The run ended before this recipe began.';

export const stillRunningText = 'This run has not ended, or was killed. Recipes without a verdict here are unknown.';

type TitleFacts = Pick<Suite, 'state'> & { selection?: readonly string[]; problems?: readonly string[] } & {
  totals: Pick<Totals, 'declared' | 'executed' | 'passed' | 'not_run'>;
};

/** Returns the first line of every index. */
export function suiteTitle({ state, selection = [], totals, problems = [] }: TitleFacts, recipes = ''): string {
  const { declared, executed, passed, not_run } = totals;
  if (state === 'running') return `${declared}${recipes} planned, ${executed} finished: unknown`;
  const options = selection.length > 0 ? ` (${selection.join(' ')})` : '';
  const notRun = not_run > 0 ? `, ${not_run} not run${options}` : '';
  return `${passed} of ${declared}${recipes} passed${notRun}${problems.length > 0 ? ', but the run failed' : ''}`;
}

export type Totals = Record<
  'declared' | 'executed' | 'not_executed' | 'passed' | 'failed' | 'unknown' | 'skipped' | 'not_run',
  number
>;

type CountedResolution = { kind?: unknown; status?: unknown; outcome?: unknown };

/** Counts the entries of an index. An index that states other totals was changed after the run. */
export function countTotals(resolutions: readonly CountedResolution[]): Totals {
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
    // Every other entry is unknown, including recipes that never began.
    unknown: resolutions.length - passed - failed - skipped - not_run,
    skipped,
    not_run,
  };
}

type SuiteOutcome = Pick<Suite, 'state'> & {
  totals: Pick<Totals, 'passed' | 'failed' | 'unknown' | 'not_run'>;
  problems?: readonly string[];
};

/** Returns the verdict on all recipes of a run together. */
export function suiteStatus({ state, totals, problems = [] }: SuiteOutcome): Status {
  if (state === 'running') return 'unknown';
  if (totals.failed > 0) return 'fail';
  const isIncomplete = totals.unknown + totals.not_run + problems.length > 0;
  return totals.passed > 0 && !isIncomplete ? 'pass' : 'unknown';
}

export const outcomeWords = { skipped: 'skipped', not_run: 'not run', unknown: 'unknown' } as const;

/** Returns the outcome of a recipe that did not run. Undefined for an entry with a summary, which has the status of the run. */
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

type EntryWithClaims = Parameters<typeof outcomeOf>[0] & {
  name: string;
  summary?: Pick<SummaryJson, 'proof'> | undefined;
  claims?: readonly DeclaredClaim[] | undefined;
  detail?: string | undefined;
};

/** Lists the claims of a recipe. They are unproven when the recipe never began, and "not run" when the recipe was left out on purpose. */
export function listClaims(entry: EntryWithClaims): ListedClaim[] {
  const { name, summary, claims = [], detail } = entry;
  const proof = summary?.proof ?? [];
  if (proof.length > 0) return proof.map((claim) => ({ name, ...claim }));
  const status = summary || outcomeOf(entry) === 'unknown' ? 'unproven' : 'not run';
  const reason = summary ? 'the run never began' : (detail ?? neverBeganText);
  return claims.map(({ id, claim }) => ({ name, id, claim, status, reason }));
}

export type CoverageItem = { name: string; isTaken: boolean };

/** The branches, flows and actions that the runs of a suite took. `notDrawn`: the number of runs whose path is unknown. */
export type Coverage = {
  branches: readonly CoverageItem[];
  flows: readonly CoverageItem[];
  actions: readonly CoverageItem[];
  notDrawn: number;
};

export type CoverageLine = { title: string; taken: number; all: number; never: readonly string[] };

export function summarizeCoverage({ branches, flows, actions }: Coverage): CoverageLine[] {
  const kinds: [string, readonly CoverageItem[]][] = [
    ['branches', branches],
    ['flows', flows],
    ['actions', actions],
  ];
  return kinds
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => ({
      title,
      taken: list.filter(({ isTaken }) => isTaken).length,
      all: list.length,
      never: list.filter(({ isTaken }) => !isTaken).map(({ name }) => name),
    }));
}
