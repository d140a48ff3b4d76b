// The index over all recipes of one run: suite.json for programs, index.md for people. Every planned recipe is in both.
import { join } from 'node:path';
import { systemClock } from '../system/clock.js';
import {
  readBytesIfThere,
  removeIfReplaceable,
  resolveInside,
  tryReadText,
  writeFilesAtomically,
} from '../system/files/files.js';
import { digestOf } from './digest.js';
import { liveFolder } from './liveRuns.js';
import { clearStalePackages } from './packageDirs.js';
import { type FirstFailure, readFirstFailure } from './readPackage.js';
import type { Coverage, Resolution, Suite, SuiteEntry, SuiteRun, SuiteState } from './suite.js';
import { countTotals, neverBeganText, outcomeOf, suiteStatus } from './suite.js';
import { findSuiteOrigin } from './suiteOrigin.js';
import { type FindFailure, renderSuiteTable, tableMark } from './suiteTable.js';
import type { Summary } from './summary.js';

/** What a reviewer gets besides: the paths that were taken, and a page. */
export type SuiteView = {
  coverage?: Coverage;
  page?(facts: { rows: readonly SuiteEntry[]; coverage: Coverage | undefined; look: FindFailure } & SuiteRun): string;
  /** Puts the tries of a recipe side by side. */
  attempts?(outputDir: string, name: string, earlier: number): void;
};

/** What stands in every page of ours, and by which we know it. */
const pageMark = 'Written by recipewright from ';

// The page and the table ask for the same, and a trace may be long.
function cachedFirstFailures(outputDir: string): FindFailure {
  const found = new Map<string, FirstFailure | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, readFirstFailure(join(outputDir, name)));
    return found.get(name);
  };
}

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
  const look = isRunning ? () => undefined : cachedFirstFailures(outputDir);
  const files = [
    ['index.md', renderSuiteTable(suite, entries, { look, coverage }), tableMark],
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
  if (!isRunning) clearStale(outputDir, entries);
  return suite;
}

function clearStale(outputDir: string, entries: readonly SuiteEntry[]): void {
  try {
    const there = entries.filter(({ removed }) => !removed);
    clearStalePackages(
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
  const resolutions = entries.map(toResolution);
  const totals = countTotals(resolutions);
  return {
    suite_id: ownSuiteId,
    state,
    status: suiteStatus({ state, totals, problems: [...problems] }),
    started_at: startedAt,
    ...findSuiteOrigin(entries.flatMap(({ summary }) => summary ?? [])),
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

function toResolution(entry: SuiteEntry): Resolution {
  const { name, summary, isFlaky, detail = neverBeganText, removed, claims = [] } = entry;
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
  return { state, selection, entries: known.map((one) => toSuiteEntry(outputDir, one)) };
}

function toSuiteEntry(outputDir: string, resolution: Resolution): SuiteEntry {
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
