import type { Status } from '../recipe/recipe.js';
import type { Commit } from './commit.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { Summary } from './summary.js';

export type SuiteEntry = {
  /** What its package is called, relative to the output directory. */
  name: string;
  /** What it says; missing when nothing ran. */
  summary?: Summary | undefined;
  /** Why nothing ran. */
  detail?: string;
  /** Its test was marked as skipped. */
  skipped?: boolean;
  /** The run was asked for other recipes only. */
  notRun?: boolean;
  /** The run before had it; its document is gone now. It is listed once. */
  removed?: boolean;
  /** What it would prove, read from its document; for one that has no summary. */
  claims?: readonly DeclaredClaim[];
  /** It passed only when it was tried again. */
  isFlaky?: boolean;
  /** How many times it was tried before. */
  earlier?: number;
  /** The command that runs only this again. */
  again?: string;
};
export type DeclaredClaim = { id: string; claim: string };
/** `running`: the run has begun and not ended, or was killed. */

export type SuiteState = 'running' | 'finished';
export type Suite = {
  suite_id: string;
  state: SuiteState;
  /** What the run proves as a whole. */
  status: Status;
  /** When the first recipe began; of a run without packages, when its index was written. */
  started_at: string;
  /** The work trees that the packages are of. */
  commits?: Commit[];
  /** The options that left recipes out of the run. */
  selection?: string[];
  scope_digest: string;
  totals: Totals;
  resolutions: Resolution[];
  /** What went wrong in the run outside of the recipes, or with what is written here. */
  problems?: string[];
  /** What is worth knowing of the run and no problem. */
  notes?: string[];
};
export type NotExecutedResolution = {
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
/** What is known of the run as a whole. */

export type SuiteRun = {
  state?: SuiteState;
  selection?: readonly string[];
  /** Why the run is not green although its recipes may be. */
  problems?: readonly string[];
  /** When it began, as far as no package says so. */
  startedAt?: string;
  notes?: readonly string[];
};

// What an index says of a run that goes on, of recipes that left no package, and of their claims.

export const neverBeganText = 'The run was over before it began.';

export const stillRunningText =
  'This run has begun and has not ended. If nothing runs any more, it was killed: what has no verdict here is unknown.';

type TitleFacts = Pick<Suite, 'state'> & { selection?: readonly string[]; problems?: readonly string[] } & {
  totals: Pick<Totals, 'declared' | 'executed' | 'passed' | 'not_run'>;
};

/** The first line of every index: it never says more than what is known. */
export function suiteTitle({ state, selection = [], totals, problems = [] }: TitleFacts, recipes = ''): string {
  const { declared, executed, passed, not_run } = totals;
  if (state === 'running') return `${declared}${recipes} planned, ${executed} finished: unknown`;
  const why = selection.length > 0 ? ` (${selection.join(' ')})` : '';
  return `${passed} of ${declared}${recipes} passed${not_run > 0 ? `, ${not_run} not run${why}` : ''}${failedRunSuffix(problems)}`;
}

/** The end of a title: recipes that passed do not make a run green that failed otherwise. */
function failedRunSuffix(problems: readonly string[]): string {
  return problems.length > 0 ? ', but the run failed' : '';
}

export type Totals = Record<
  'declared' | 'executed' | 'not_executed' | 'passed' | 'failed' | 'unknown' | 'skipped' | 'not_run',
  number
>;

type CountedResolution = { kind?: unknown; status?: unknown; outcome?: unknown };

/** What follows from the entries of an index; whoever counts otherwise changed it. */
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

type EntryWithClaims = Parameters<typeof outcomeOf>[0] & {
  name: string;
  summary?: Pick<SummaryJson, 'proof'> | undefined;
  claims?: readonly DeclaredClaim[] | undefined;
  detail?: string | undefined;
};

/** What a recipe that never began declares is unproven; what was left out on purpose is not run. */
export function listClaims(entry: EntryWithClaims): ListedClaim[] {
  const { name, summary, claims = [], detail } = entry;
  const proof = summary?.proof ?? [];
  if (proof.length > 0) return proof.map((claim) => ({ name, ...claim }));
  const status = summary || outcomeOf(entry) === 'unknown' ? 'unproven' : 'not run';
  const reason = summary ? 'the run never began' : (detail ?? neverBeganText);
  return claims.map(({ id, claim }) => ({ name, id, claim, status, reason }));
}

// Which branches, flows and actions the runs of a suite took, in words.
export type CoverageItem = { name: string; isTaken: boolean };

/** `notDrawn`: runs whose recipe could not be followed. */
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
