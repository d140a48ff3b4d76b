// Writes and reads the index of a suite: suite.json for programs and index.md for people. Both list every planned recipe.

import { join } from 'node:path';
import { omitUndefined } from '../document/omitUndefined.js';
import { systemClock } from '../system/clock.js';
import { readBytesIfThere, removeIfReplaceable, resolveInside, writeFilesAtomically } from '../system/files/files.js';
import { digestOf } from './digest.js';
import { liveFolder } from './liveRuns.js';
import { clearStalePackages } from './packageDirs.js';
import { type FirstFailure, readFirstFailure } from './readPackage.js';
import { readJson } from './readPackageDocuments.js';
import {
  type Coverage,
  countTotals,
  neverBeganText,
  outcomeOf,
  type Resolution,
  type Suite,
  type SuiteEntry,
  type SuiteRun,
  type SuiteState,
  suiteStatus,
} from './suite.js';
import { findSuiteOrigin } from './suiteOrigin.js';
import { type FindFailure, generatedFileMarker, renderSuiteTable } from './suiteTable.js';
import type { Summary } from './summary.js';

/** Optional parts of an index: the paths that the runs took, and pages for reviewers. */
export type SuiteView = {
  coverage?: Coverage;
  page?(facts: { rows: readonly SuiteEntry[]; coverage: Coverage | undefined; findFailure: FindFailure } & SuiteRun): string;
  /** Writes a page with the attempts of a recipe side by side. */
  attempts?(outputDir: string, name: string, earlier: number): void;
};

/** Every page that recipewright writes contains this string, so that recipewright only ever replaces its own pages. */
const pageMark = 'Written by recipewright from ';

// Both the page and the table need the first failure. It is cached, because reading a long trace takes time.
function cachedFirstFailures(outputDir: string): FindFailure {
  const failures = new Map<string, FirstFailure | undefined>();
  return (name) => {
    if (!failures.has(name)) failures.set(name, readFirstFailure(join(outputDir, name)));
    return failures.get(name);
  };
}

/** Writes the index of a suite. `entries` are all planned recipes. An entry of a recipe that never began has no summary. */
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
  // Traces are read only after the run, because a running suite writes its index many times.
  const findFailure = isRunning ? () => undefined : cachedFirstFailures(outputDir);
  const files: { name: string; text: string; mark: string }[] = [];
  files.push({ name: 'index.md', text: renderSuiteTable(suite, entries, { findFailure, coverage }), mark: generatedFileMarker });
  if (page) {
    const text = page({ rows: entries, coverage, findFailure, ...run, startedAt: suite.started_at });
    files.push({ name: 'index.html', text, mark: pageMark });
  }
  files.push({ name: 'suite.json', text: `${JSON.stringify(suite, null, 2)}\n`, mark: '"scope_digest": "sha256:' });
  for (const { name, mark } of files) {
    const existing = readBytesIfThere(join(outputDir, name))?.toString();
    if (existing !== undefined && !existing.includes(mark))
      throw new Error(`${join(outputDir, name)} is a file that recipewright did not write. Choose another output directory.`);
  }
  for (const { name, earlier = 0 } of isRunning ? [] : entries) if (earlier > 0) view.attempts?.(outputDir, name, earlier);
  // The live folder of a killed run would hide the packages of this run.
  if (!isRunning) removeIfReplaceable(join(outputDir, liveFolder));
  writeFilesAtomically(
    files.map(({ name, text }) => [join(outputDir, name), text]),
    { isFlushed: !isRunning },
  );
  // The index no longer lists removed recipes, and `verify` would report their packages as added later.
  if (!isRunning) clearStale(outputDir, entries);
  return suite;
}

function clearStale(outputDir: string, entries: readonly SuiteEntry[]): void {
  try {
    const existing = entries.filter(({ removed }) => !removed);
    clearStalePackages(
      outputDir,
      existing.map(({ name }) => name),
    );
  } catch {
    // EACCES, EROFS: the package stays, and `verify` reports it as not listed.
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
    ...omitUndefined({ selection: copyUnlessEmpty(selection) }),
    scope_digest: scopeDigest(ownSuiteId, resolutions),
    totals,
    resolutions,
    ...omitUndefined({ problems: copyUnlessEmpty(problems), notes: copyUnlessEmpty(notes) }),
  };
}

function copyUnlessEmpty<T>(list: readonly T[]): T[] | undefined {
  return list.length > 0 ? [...list] : undefined;
}

export const ownSuiteId = 'recipes';

/** Returns the digest of the list of planned recipes. The index states it, so that a removed entry is noticed. */
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
      ...omitUndefined({
        removed: removed ? (true as const) : undefined,
        claims: copyUnlessEmpty(claims.map(({ id, claim }) => ({ id, claim }))),
      }),
    };
  return {
    id: name,
    kind: 'verdict',
    status: summary.status,
    ...omitUndefined({ flaky: isFlaky ? (true as const) : undefined }),
    summary_path: `${name}/summary.json`,
    summary_digest: digestOf(summary),
    reason: summary.reason,
  };
}

/** The index in an output directory, with the summaries of its packages. */
export type ReadSuite = { state: SuiteState; selection: string[]; entries: SuiteEntry[] };

/** Returns undefined when the directory has no index of recipewright. Leaves out summaries whose digest differs from the index. */
export function readSuiteIndex(outputDir: string): ReadSuite | undefined {
  const { state = 'finished', selection = [], resolutions } = (readJson(join(outputDir, 'suite.json')) ?? {}) as Partial<Suite>;
  if (!Array.isArray(resolutions) || !Array.isArray(selection)) return undefined;
  const readable = resolutions.filter(
    (resolution) => typeof resolution?.id === 'string' && resolveInside(outputDir, resolution.id) !== undefined,
  );
  return { state, selection, entries: readable.map((resolution) => toSuiteEntry(outputDir, resolution)) };
}

function toSuiteEntry(outputDir: string, resolution: Resolution): SuiteEntry {
  const { id: name } = resolution;
  if (resolution.kind === 'verdict') {
    const summary = readJson(join(outputDir, name, 'summary.json')) as Summary | undefined;
    const entry: SuiteEntry = { name };
    if (summary !== undefined && digestOf(summary) === resolution.summary_digest) entry.summary = summary;
    if (resolution.flaky) entry.isFlaky = true;
    return entry;
  }
  const { outcome, detail, removed, claims } = resolution;
  const entry: SuiteEntry = { name, detail, ...omitUndefined({ removed, claims }) };
  if (outcome === 'skipped') entry.skipped = true;
  if (outcome === 'not_run') entry.notRun = true;
  return entry;
}
