// Compares two packages, or two suites of packages: which claims, results, outputs and pictures changed.
import { join } from 'node:path';
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import { readPackage, type TrustProblem } from '../../evidence/readPackage.js';
import { readJson } from '../../evidence/readPackageDocuments.js';
import { readPathKind, resolveInside } from '../../system/files/files.js';
import { findPlaceProblem, findTrustProblem, toTrustProblem } from '../../verify/packageTrust.js';
import { checkSuite } from '../../verify/verifySuite.js';
import { type ClaimChange, compareClaims, deriveClaims, isWorse } from './compareClaims.js';
import { comparePictures, type PictureChange } from './comparePictures.js';
import { compareTraces, type TraceChanges } from './compareTraces.js';

export type RunOutcome = { status: string; reason: string; durationMs: number; doubt?: TrustProblem };

export type RunChange = {
  name: string;
  before?: RunOutcome;
  after?: RunOutcome;
  isWorse: boolean;
  claims: ClaimChange[];
  trace?: TraceChanges;
  pictures: PictureChange[];
};

/** `doubts`: the reasons why a suite as a whole cannot be trusted. */
export type PackageComparison = { isWorse: boolean; runs: RunChange[]; doubts?: SuiteDoubt[] };

type SuiteDoubt = { when: 'before' | 'after'; why: string };

/** Thrown for a directory without a package that can be compared. */
export class NoPackageError extends Error {}

/** @throws NoPackageError */
export function comparePackages(beforeDir: string, afterDir: string): PackageComparison {
  const [before, after] = [findPackages(beforeDir), findPackages(afterDir)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const suiteFindings = new Map([...findSuiteFindings(beforeDir), ...findSuiteFindings(afterDir)]);
  const findProblem: typeof findTrustProblem = (dir, summary) => suiteFindings.get(dir) ?? findTrustProblem(dir, summary);
  const comparison = summarizeRuns(names.map((name) => compareRun(name, before.get(name), after.get(name), findProblem)));
  const doubts = [...findSuiteDoubts('before', beforeDir), ...findSuiteDoubts('after', afterDir)];
  return doubts.length > 0 ? { ...comparison, isWorse: true, doubts } : comparison;
}

function findSuiteDoubts(when: SuiteDoubt['when'], suite: string): SuiteDoubt[] {
  return (checkSuite(suite)?.findings ?? []).map(({ message }) => ({ when, why: message }));
}

/** Finds the packages that differ from the index of their suite, by directory. */
function findSuiteFindings(dir: string): [string, TrustProblem][] {
  const suite = checkSuite(dir);
  const placeProblem = suite ? undefined : findPlaceProblem(dir);
  if (placeProblem) return [[dir, placeProblem]];
  const { packages = [], unlisted = [] } = suite ?? {};
  return [...packages, ...unlisted].flatMap(({ dir, finding }) =>
    finding ? [[dir, toTrustProblem(finding)] as [string, TrustProblem]] : [],
  );
}

export function summarizeRuns(runs: RunChange[]): PackageComparison {
  return { isWorse: runs.some((run) => run.isWorse), runs };
}

/**
 * Maps the names of packages to their directories: many for a suite, one with an empty name for a package.
 * @throws NoPackageError
 */
export function findPackages(dir: string): Map<string, string> {
  if (readPathKind(dir) !== 'directory')
    throw new NoPackageError(`There is no directory ${dir}. Pass the directory of a package or a suite.`);
  const { resolutions } = (readJson(join(dir, 'suite.json')) ?? {}) as { resolutions?: unknown };
  if (!Array.isArray(resolutions)) return new Map([['', dir]]);
  const invalidIndex = resolutions.findIndex((item) => typeof item?.id !== 'string' || typeof item.kind !== 'string');
  if (invalidIndex >= 0)
    throw new NoPackageError(
      `${join(dir, 'suite.json')} is not a valid suite index: /resolutions/${invalidIndex} needs "id" and "kind" as strings.`,
    );
  const unlisted = checkSuite(dir)?.unlisted.map(({ name }) => name) ?? [];
  const ids = [...resolutions.filter(({ kind }) => kind === 'verdict').map(({ id }): string => id), ...unlisted];
  return new Map(
    ids.flatMap((id) => {
      const packageDir = resolveInside(dir, id);
      return packageDir === undefined ? [] : [[id, packageDir]];
    }),
  );
}

/**
 * Compares two packages of one run. Leave out `findProblem` only for packages that this process has just written, because other
 * packages may have been changed.
 * @throws NoPackageError
 */
export function compareRun(
  name: string,
  beforeDir: string | undefined,
  afterDir: string | undefined,
  findProblem: typeof findTrustProblem = () => undefined,
): RunChange {
  const before = beforeDir === undefined ? undefined : readSide(beforeDir, findProblem);
  const after = afterDir === undefined ? undefined : readSide(afterDir, findProblem);
  const noSummary: SummaryJson = { status: 'unknown', passed: 0, failed: 0 };
  const claims = compareClaims(before?.summary ?? noSummary, after?.summary ?? noSummary);
  // A new run that does not pass is as bad as a run that stopped passing.
  const stoppedPassing = (!before || before.summary.status === 'pass') && after?.summary.status !== 'pass';
  // The package before was verified, but the package after cannot be, for example because its journal was removed.
  const lostTrust = before !== undefined && !before.doubt && after?.doubt !== undefined;
  const isBroken = [before, after].some((side) => side?.doubt?.isBroken);
  return {
    name,
    ...(before ? { before: toRunOutcome(before) } : {}),
    ...(after ? { after: toRunOutcome(after) } : {}),
    isWorse: stoppedPassing || lostTrust || isBroken || claims.some(isWorse),
    claims,
    ...(before && after ? { trace: compareTraces(before.trace, after.trace) } : {}),
    pictures: before && after ? comparePictures(before, after) : [],
  };
}

function readSide(dir: string, findProblem: typeof findTrustProblem) {
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary)
    throw new NoPackageError(`${dir} is not an evidence package: ${findings[0]?.message ?? 'it has no summary.json.'}`);
  const artifacts = manifest?.artifacts ?? [];
  const proof = summary.proof ?? deriveClaims({ recipe, trace, artifacts });
  return { dir, summary: { ...summary, proof }, trace, artifacts, doubt: findProblem(dir, summary) };
}

function toRunOutcome({ summary, doubt }: ReturnType<typeof readSide>): RunOutcome {
  const { status, reason, error, durationMs = 0 } = summary;
  return { status, reason: reason ?? error ?? '', durationMs, ...(doubt ? { doubt } : {}) };
}

/** Sorts the runs: those that got worse first, unchanged ones last. */
export function sortByInterest(runs: readonly RunChange[]): RunChange[] {
  return [...runs].sort((a, b) => severityRank(b) - severityRank(a));
}

function severityRank(run: RunChange): number {
  return run.isWorse ? 2 : hasChanged(run) ? 1 : 0;
}

export function hasChanged({ before, after, claims, trace, pictures }: RunChange): boolean {
  const lists = trace ? [trace.onlyBefore, trace.onlyAfter, trace.results, trace.outputs, trace.times] : [];
  const hasOtherVerdict =
    before?.doubt?.isBroken ||
    after?.doubt?.isBroken ||
    before?.status !== after?.status ||
    claims.some(({ change }) => change !== 'same');
  return hasOtherVerdict || pictures.length > 0 || lists.some((list) => list.length > 0);
}
