// Reads the rows of a served suite from its index, its packages and its live runs.
import { join } from 'node:path';
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import type { TrustProblem } from '../../evidence/readPackage.js';
import { readJson, readPackageDocument } from '../../evidence/readPackageDocuments.js';
import type { DeclaredClaim, SuiteRun } from '../../evidence/suite.js';
import { readChangeStamp, readModifiedTime, readPathKind, resolveInside } from '../../system/files/files.js';
import { listTree } from '../../system/files/listTree.js';
import { findTrustProblem, toTrustProblem } from '../../verify/packageTrust.js';
import { checkSuite } from '../../verify/verifySuite.js';
import { countTries } from '../suite/renderAttemptsPage.js';
import type { SuiteRow } from '../suite/suitePage.js';
import { listLiveRuns, liveRunDir } from './renderLivePage.js';

type ListedRun = { id: string; kind?: unknown; outcome?: unknown; flaky?: unknown; detail?: unknown; claims?: unknown };

type SuiteIndexJson = { state?: unknown; selection?: unknown; started_at?: unknown; problems?: unknown; resolutions?: unknown };

function readSuiteIndex(dir: string): SuiteIndexJson {
  return (readJson(join(dir, 'suite.json')) ?? {}) as SuiteIndexJson;
}

/** Reads the facts about the whole run from the index. */
export function readSuiteRun(dir: string): SuiteRun {
  const { state, selection, started_at, problems } = readSuiteIndex(dir);
  return {
    state: state === 'running' ? 'running' : 'finished',
    selection: stringsIn(selection),
    problems: stringsIn(problems),
    ...(typeof started_at === 'string' ? { startedAt: started_at } : {}),
  };
}

/** Returns the reasons why the suite as a whole is not intact. */
export function findSuiteProblems(dir: string): string[] {
  return (checkSuite(dir)?.findings ?? []).map(({ message }) => message);
}

function stringsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

export function readSuiteRows(dir: string): SuiteRow[] {
  const { state, resolutions } = readSuiteIndex(dir);
  // An index with a state lists every package of its run. Other packages in the directory are of an earlier run.
  const isIndexed = state !== undefined;
  const listed = Array.isArray(resolutions) ? resolutions.filter((run): run is ListedRun => typeof run?.id === 'string') : [];
  const known = listed.length > 0 ? listed : findRunNames(dir).map((id): ListedRun => ({ id }));
  const live = new Set(listLiveRuns(dir));
  const newRuns = [...live].filter((id) => !known.some((run) => run.id === id)).map((id): ListedRun => ({ id }));
  const check = checkSuite(dir);
  const untrusted = new Map(
    [...(check?.packages ?? []), ...(check?.unlisted ?? [])].flatMap(({ name, finding }) =>
      finding ? [[name, toTrustProblem(finding)] as const] : [],
    ),
  );
  const unlistedRuns = (check?.unlisted ?? []).filter(({ name }) => !live.has(name)).map(({ name }): ListedRun => ({ id: name }));
  let verified = 0;
  return [...known, ...newRuns, ...unlistedRuns].flatMap((run) => {
    const packageDir = resolveInside(dir, run.id);
    if (packageDir === undefined) return [];
    if (live.has(run.id)) return [liveRow(dir, run.id)];
    const row = isIndexed && run.kind === 'not_executed' ? notExecutedRow(dir, run) : executedRow(dir, packageDir, run);
    if (!row.summary)
      return [
        live.size > 0 && readPathKind(packageDir) === undefined ? { ...row, detail: 'The recipe has not started yet.' } : row,
      ];
    const trustProblem =
      untrusted.get(run.id) ?? (verified++ < maxVerified ? findTrustProblemCached(packageDir, row.summary) : tooManyToVerify);
    return [{ ...row, trustProblem }];
  });
}

// A killed run looks like a live one, so the row shows when the journal last changed.
function liveRow(dir: string, name: string): SuiteRow {
  const lastChange = readModifiedTime(join(liveRunDir(dir, name) ?? '', 'journal.jsonl'));
  const detail = `The recipe is still running.${lastChange === undefined ? '' : ` Its journal last changed at ${lastChange}.`}`;
  return { name, isRunning: true, detail, earlier: countTries(dir, name) };
}

/** Verifying more packages makes the page too slow. */
const maxVerified = 200;
const tooManyToVerify: TrustProblem = {
  isBroken: false,
  why: 'the suite has too many packages to verify all of them here. Open the page of this package to verify it',
};

function executedRow(dir: string, packageDir: string, { id, flaky, detail }: ListedRun): SuiteRow {
  const summary =
    readPathKind(join(packageDir, 'summary.json')) === 'file'
      ? readPackageDocument<SummaryJson>(packageDir, 'summary.json', [])?.value
      : undefined;
  const hasStarted = readPathKind(packageDir) === 'directory';
  const detailField = typeof detail === 'string' ? { detail } : hasStarted ? { detail: 'The recipe is still running.' } : {};
  return { name: id, summary, isFlaky: flaky === true, earlier: countTries(dir, id), ...detailField };
}

function notExecutedRow(dir: string, { id, outcome, detail, claims }: ListedRun): SuiteRow {
  return {
    name: id,
    skipped: outcome === 'skipped',
    notRun: outcome === 'not_run',
    earlier: countTries(dir, id),
    ...(typeof detail === 'string' ? { detail } : {}),
    claims: Array.isArray(claims) ? claims.filter(isClaim) : [],
  };
}

function isClaim(claim: unknown): claim is DeclaredClaim {
  const { id, claim: text } = Object(claim) as { id?: unknown; claim?: unknown };
  return typeof id === 'string' && typeof text === 'string';
}

const trustCache = new Map<string, { stamp: string; trustProblem: TrustProblem | undefined }>();

// A watched page is rendered often, but its packages seldom change.
function findTrustProblemCached(dir: string, summary: SummaryJson): TrustProblem | undefined {
  const stamp = listTree(dir)
    .map(({ path }) => `${path} ${readChangeStamp(join(dir, path))}`)
    .join('\n');
  const cached = trustCache.get(dir);
  if (cached?.stamp === stamp) return cached.trustProblem;
  const trustProblem = findTrustProblem(dir, summary);
  trustCache.set(dir, { stamp, trustProblem });
  return trustProblem;
}

function findRunNames(dir: string): string[] {
  const files = listTree(dir).filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const names = files.flatMap(({ path }) => /^(.+)\/(summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}
