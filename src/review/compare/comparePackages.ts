// Two packages, or two suites of them: what a change did to what is proven.
import { join } from 'node:path';
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import { readPackage, type TrustProblem } from '../../evidence/readPackage.js';
import { readPathKind, resolveInside } from '../../system/files/files.js';
import { findPlaceProblem, findTrustProblem, toTrustProblem } from '../../verify/packageTrust.js';
import { readJson } from '../../verify/readPackageParts.js';
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

/** `doubts`: what is wrong with a suite as a whole. */
export type PackageComparison = { isWorse: boolean; runs: RunChange[]; doubts?: SuiteDoubt[] };

type SuiteDoubt = { when: 'before' | 'after'; why: string };

/** A directory that cannot be compared, and why. */
export class NoPackageError extends Error {}

/** @throws NoPackage */
export function comparePackages(before: string, after: string): PackageComparison {
  const [old, now] = [findPackages(before), findPackages(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const doubts = new Map([...packageDoubts(before), ...packageDoubts(after)]);
  const findDoubt: typeof findTrustProblem = (dir, summary) => doubts.get(dir) ?? findTrustProblem(dir, summary);
  const comparison = summarizeRuns(names.map((name) => compareRun(name, old.get(name), now.get(name), findDoubt)));
  const wrong = [...suiteDoubts('before', before), ...suiteDoubts('after', after)];
  return wrong.length > 0 ? { ...comparison, isWorse: true, doubts: wrong } : comparison;
}

function suiteDoubts(when: SuiteDoubt['when'], suite: string): SuiteDoubt[] {
  return (checkSuite(suite)?.findings ?? []).map(({ message }) => ({ when, why: message }));
}

/** By directory: the packages that are not those which the index of their suite lists. */
function packageDoubts(dir: string): [string, TrustProblem][] {
  const suite = checkSuite(dir);
  const own = suite ? undefined : findPlaceProblem(dir);
  if (own) return [[dir, own]];
  const { packages = [], unlisted = [] } = suite ?? {};
  return [...packages, ...unlisted].flatMap(({ dir, finding }) =>
    finding ? [[dir, toTrustProblem(finding)] as [string, TrustProblem]] : [],
  );
}

export function summarizeRuns(runs: RunChange[]): PackageComparison {
  return { isWorse: runs.some((run) => run.isWorse), runs };
}

/** A suite has many, a package is one without a name. @throws NoPackage */
export function findPackages(dir: string): Map<string, string> {
  if (readPathKind(dir) !== 'directory')
    throw new NoPackageError(`There is no directory ${dir}: name the one that a run wrote its package to.`);
  const { resolutions } = (readJson(join(dir, 'suite.json')) ?? {}) as { resolutions?: unknown };
  if (!Array.isArray(resolutions)) return new Map([['', dir]]);
  const wrong = resolutions.findIndex((one) => typeof one?.id !== 'string' || typeof one.kind !== 'string');
  if (wrong >= 0)
    throw new NoPackageError(
      `${join(dir, 'suite.json')} is no index of a suite: /resolutions/${wrong} has no "id" and "kind" as texts.`,
    );
  const added = checkSuite(dir)?.unlisted.map(({ name }) => name) ?? [];
  const ids = [...resolutions.filter(({ kind }) => kind === 'verdict').map(({ id }): string => id), ...added];
  return new Map(
    ids.flatMap((id) => {
      const place = resolveInside(dir, id);
      return place === undefined ? [] : [[id, place]];
    }),
  );
}

/** What was not just written is doubted: who changes a summary gains nothing by it. @throws NoPackage */
export function compareRun(
  name: string,
  before: string | undefined,
  after: string | undefined,
  findDoubt: typeof findTrustProblem = () => undefined,
): RunChange {
  const [old, now] = [before, after].map((dir) => (dir === undefined ? undefined : readSide(dir, findDoubt)));
  const none: SummaryJson = { status: 'unknown', passed: 0, failed: 0 };
  const claims = compareClaims(old?.summary ?? none, now?.summary ?? none);
  // What is new and does not pass is no less red than what passed before.
  const fell = (!old || old.summary.status === 'pass') && now?.summary.status !== 'pass';
  // Who takes the journal away takes away what vouched for the rest.
  const lost = old !== undefined && !old.doubt && now?.doubt !== undefined;
  return {
    name,
    ...(old ? { before: toRunOutcome(old) } : {}),
    ...(now ? { after: toRunOutcome(now) } : {}),
    ...{ isWorse: fell || lost || claims.some(isWorse) || [old, now].some((one) => one?.doubt?.isBroken), claims },
    ...(old && now ? { trace: compareTraces(old.trace, now.trace) } : {}),
    pictures: old && now ? comparePictures(old, now) : [],
  };
}

function readSide(dir: string, findDoubt: typeof findTrustProblem) {
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary) throw new NoPackageError(`${dir} is no evidence package: ${findings[0]?.message ?? 'it has no summary.json.'}`);
  const artifacts = manifest?.artifacts ?? [];
  const proof = summary.proof ?? deriveClaims({ recipe, trace, artifacts });
  return { dir, summary: { ...summary, proof }, trace, artifacts, doubt: findDoubt(dir, summary) };
}

function toRunOutcome({ summary, doubt }: ReturnType<typeof readSide>): RunOutcome {
  const { status, reason, error, durationMs = 0 } = summary;
  return { status, reason: reason ?? error ?? '', durationMs, ...(doubt ? { doubt } : {}) };
}

// Which of the runs that were compared somebody has to look at.

/** What got worse comes first, what is the same last. */
export function sortByInterest(runs: readonly RunChange[]): RunChange[] {
  return [...runs].sort((a, b) => interest(b) - interest(a));
}

function interest(run: RunChange): number {
  return run.isWorse ? 2 : hasChanged(run) ? 1 : 0;
}

export function hasChanged({ before, after, claims, trace, pictures }: RunChange): boolean {
  const lists = trace ? [trace.onlyBefore, trace.onlyAfter, trace.results, trace.outputs, trace.times] : [];
  const isOther =
    before?.doubt?.isBroken ||
    after?.doubt?.isBroken ||
    before?.status !== after?.status ||
    claims.some(({ change }) => change !== 'same');
  return isOther || pictures.length > 0 || lists.some((list) => list.length > 0);
}
