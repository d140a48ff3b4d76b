// The index over all recipes of one run: suite.json for programs, index.md for people. Every planned recipe is in both.
import { join } from 'node:path';
import type { Status } from '../recipe/recipe.js';
import { systemClock } from '../system/clock.js';
import {
  readBytesIfThere,
  removeIfReplaceable,
  resolveInside,
  tryReadText,
  writeFilesAtomically,
} from '../system/files/files.js';
import type { Commit } from './commitText.js';
import { digestOf } from './digest.js';
import { type FirstFailure, firstFailure } from './firstFailure.js';
import { clearOthers } from './layout.js';
import { liveFolder } from './liveRuns.js';
import type { Coverage } from './suiteCoverage.js';
import { originOf } from './suiteOrigin.js';
import { neverBegan, outcomeOf, suiteStatus, type Totals, totalsOf } from './suiteOutcome.js';
import { type Look, suiteTable, tableMark } from './suiteTable.js';
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

type NotExecuted = {
  id: string;
  kind: 'not_executed';
  reason_class: 'prerequisite_missing';
  outcome: 'unknown' | 'skipped' | 'not_run';
  detail: string;
  removed?: true;
  claims?: DeclaredClaim[];
};

type Resolution =
  | (Pick<Summary, 'status' | 'reason'> & {
      id: string;
      kind: 'verdict';
      flaky?: true;
      summary_path: string;
      summary_digest: string;
    })
  | NotExecuted;

/** What a reviewer gets besides: the paths that were taken, and a page. */
export type SuiteView = {
  coverage?: Coverage;
  page?(facts: { rows: readonly SuiteEntry[]; coverage: Coverage | undefined; look: Look } & SuiteRun): string;
  /** Puts the tries of a recipe side by side. */
  attempts?(outputDir: string, name: string, earlier: number): void;
};

/** What stands in every page of ours, and by which we know it. */
const pageMark = 'Written by recipewright from ';

// The page and the table ask for the same, and a trace may be long.
function lookIn(outputDir: string): Look {
  const found = new Map<string, FirstFailure | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, firstFailure(join(outputDir, name)));
    return found.get(name);
  };
}

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

/** `entries` are all that were planned; what never came has no summary. */
export function writeSuiteIndex(
  outputDir: string,
  entries: readonly SuiteEntry[],
  view: SuiteView = {},
  run: SuiteRun = {},
): Suite {
  const { coverage, page } = view;
  const suite = suiteOf(entries, run);
  if (entries.length === 0) return suite;
  const isRunning = suite.state === 'running';
  // Traces are read for a run that has ended; one that goes on writes its index again and again.
  const look = isRunning ? () => undefined : lookIn(outputDir);
  const files = [
    ['index.md', suiteTable(suite, entries, { look, coverage }), tableMark],
    ...(page
      ? ([['index.html', page({ rows: entries, coverage, look, ...run, startedAt: suite.started_at }), pageMark]] as const)
      : []),
    ['suite.json', `${JSON.stringify(suite, null, 2)}\n`, '"scope_digest": "sha256:'],
  ] as const;
  for (const [name, , mark] of files) {
    const before = readBytesIfThere(join(outputDir, name))?.toString();
    if (before !== undefined && !before.includes(mark))
      throw new Error(`${join(outputDir, name)} is a file that recipewright did not write. Choose another output directory.`);
  }
  for (const { name, earlier = 0 } of isRunning ? [] : entries) if (earlier > 0) view.attempts?.(outputDir, name, earlier);
  // What a run that was killed left there would hide the packages of this one.
  if (!isRunning) removeIfReplaceable(join(outputDir, liveFolder));
  writeFilesAtomically(
    files.map(([name, text]) => [join(outputDir, name), text]),
    { isFlushed: !isRunning },
  );
  // Nobody could tell the package of a recipe that is gone from one that was put there.
  if (!isRunning) clearQuietly(outputDir, entries);
  return suite;
}

function clearQuietly(outputDir: string, entries: readonly SuiteEntry[]): void {
  try {
    const there = entries.filter(({ removed }) => !removed);
    clearOthers(
      outputDir,
      there.map(({ name }) => name),
    );
  } catch {
    // EACCES, EROFS: it stays, and whoever verifies the suite is told that it is not listed.
  }
}

export function suiteOf(
  entries: readonly SuiteEntry[],
  { state = 'finished', selection = [], problems = [], notes = [], startedAt = systemClock.wall() }: SuiteRun = {},
): Suite {
  const resolutions = entries.map(resolve);
  const totals = totalsOf(resolutions);
  return {
    suite_id: ownSuiteId,
    state,
    status: suiteStatus({ state, totals, problems: [...problems] }),
    started_at: startedAt,
    ...originOf(entries.flatMap(({ summary }) => summary ?? [])),
    ...(selection.length > 0 ? { selection: [...selection] } : {}),
    scope_digest: scopeDigest(ownSuiteId, resolutions),
    totals,
    resolutions,
    ...(problems.length > 0 ? { problems: [...problems] } : {}),
    ...(notes.length > 0 ? { notes: [...notes] } : {}),
  };
}

export const ownSuiteId = 'recipes';

/** Pins which recipes were planned. */
export function scopeDigest(suite_id: unknown, resolutions: readonly { id: unknown }[]): string {
  return digestOf({ suite_id, cases: resolutions.map(({ id }) => ({ id })) });
}

function resolve(entry: SuiteEntry): Resolution {
  const { name, summary, isFlaky, detail = neverBegan, removed, claims = [] } = entry;
  if (!summary)
    return {
      id: name,
      kind: 'not_executed',
      reason_class: 'prerequisite_missing',
      outcome: outcomeOf(entry) ?? 'unknown',
      detail,
      ...(removed ? { removed } : {}),
      ...(claims.length > 0 ? { claims: claims.map(({ id, claim }) => ({ id, claim })) } : {}),
    };
  const { status, reason } = summary;
  const where = { summary_path: `${name}/summary.json`, summary_digest: digestOf(summary) };
  return { id: name, kind: 'verdict', status, ...(isFlaky ? { flaky: true } : {}), ...where, reason };
}

/** An index that lies in an output directory, with the summaries that it names. */
export type ReadSuite = { state: SuiteState; selection: string[]; entries: SuiteEntry[] };

/** Undefined where no index of ours can be read. A summary that is another one than the index pins is left out. */
export function readSuiteIndex(outputDir: string): ReadSuite | undefined {
  const { state = 'finished', selection = [], resolutions } = (jsonIn(outputDir, 'suite.json') ?? {}) as Partial<Suite>;
  if (!Array.isArray(resolutions) || !Array.isArray(selection)) return undefined;
  const known = resolutions.filter((one) => typeof one?.id === 'string' && resolveInside(outputDir, one.id) !== undefined);
  return { state, selection, entries: known.map((one) => entryOf(outputDir, one)) };
}

function entryOf(outputDir: string, resolution: Resolution): SuiteEntry {
  const { id: name } = resolution;
  if (resolution.kind === 'verdict') {
    const summary = jsonIn(outputDir, `${name}/summary.json`) as Summary | undefined;
    const isPinned = summary !== undefined && digestOf(summary) === resolution.summary_digest;
    return { name, ...(isPinned ? { summary } : {}), ...(resolution.flaky ? { isFlaky: true } : {}) };
  }
  const { outcome, detail, removed, claims } = resolution;
  return {
    name,
    detail,
    ...(outcome === 'skipped' ? { skipped: true } : outcome === 'not_run' ? { notRun: true } : {}),
    ...(removed ? { removed } : {}),
    ...(claims ? { claims } : {}),
  };
}

function jsonIn(outputDir: string, name: string): unknown {
  try {
    return JSON.parse(tryReadText(join(outputDir, name)) ?? 'null') ?? undefined;
  } catch {
    // SyntaxError: not a file that we wrote.
    return undefined;
  }
}
