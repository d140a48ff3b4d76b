// The rows of a suite that is served: as its index lists them, as they lie there, and as they are under way.
import { join } from 'node:path';
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import { readJson, readPackageDocument } from '../../evidence/packageDocuments.js';
import type { TrustProblem } from '../../evidence/readPackage.js';
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

/** What the index says of the run as a whole. */
export function readSuiteRun(dir: string): SuiteRun {
  const { state, selection, started_at, problems } = readSuiteIndex(dir);
  return {
    state: state === 'running' ? 'running' : 'finished',
    selection: textsOf(selection),
    problems: textsOf(problems),
    ...(typeof started_at === 'string' ? { startedAt: started_at } : {}),
  };
}

/** Why the suite as a whole is not what its run left. */
export function suiteDoubts(dir: string): string[] {
  return (checkSuite(dir)?.findings ?? []).map(({ message }) => message);
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

export function readSuiteRows(dir: string): SuiteRow[] {
  const { state, resolutions } = readSuiteIndex(dir);
  // Whoever writes a state writes every package into the index that it has: what else lies there is of a former run.
  const isIndexed = state !== undefined;
  const listed = Array.isArray(resolutions) ? resolutions.filter((one): one is ListedRun => typeof one?.id === 'string') : [];
  const found = listed.length > 0 ? listed : findRunNames(dir).map((id): ListedRun => ({ id }));
  const live = new Set(listLiveRuns(dir));
  const newRuns = [...live].filter((id) => !found.some((one) => one.id === id)).map((id): ListedRun => ({ id }));
  const check = checkSuite(dir);
  const untrusted = new Map(
    [...(check?.packages ?? []), ...(check?.unlisted ?? [])].flatMap(({ name, finding }) =>
      finding ? [[name, toTrustProblem(finding)] as const] : [],
    ),
  );
  const unlistedRuns = (check?.unlisted ?? []).filter(({ name }) => !live.has(name)).map(({ name }): ListedRun => ({ id: name }));
  let verified = 0;
  return [...found, ...newRuns, ...unlistedRuns].flatMap((one) => {
    const place = resolveInside(dir, one.id);
    if (place === undefined) return [];
    if (live.has(one.id)) return [liveRow(dir, one.id)];
    const row = isIndexed && one.kind === 'not_executed' ? notExecutedRow(dir, one) : executedRow(dir, place, one);
    if (!row.summary)
      return [live.size > 0 && readPathKind(place) === undefined ? { ...row, detail: 'It has not begun yet.' } : row];
    const doubt = untrusted.get(one.id) ?? (verified++ < maxVerified ? cachedDoubt(place, row.summary) : tooManyToVerify);
    return [{ ...row, doubt }];
  });
}

// A run that was killed looks the same: when it was last heard of tells them apart.
function liveRow(dir: string, name: string): SuiteRow {
  const last = readModifiedTime(join(liveRunDir(dir, name) ?? '', 'journal.jsonl'));
  const detail = `It is still running${last === undefined ? '' : `; its journal grew last at ${last}`}.`;
  return { name, isRunning: true, detail, earlier: countTries(dir, name) };
}

/** Verifying more packages than these would take longer than anybody waits for a page. */
const maxVerified = 200;
const tooManyToVerify: TrustProblem = {
  isBroken: false,
  why: 'there are too many packages for this page; its own page says whether it is intact',
};

function executedRow(dir: string, place: string, { id, flaky, detail }: ListedRun): SuiteRow {
  const summary =
    readPathKind(join(place, 'summary.json')) === 'file'
      ? readPackageDocument<SummaryJson>(place, 'summary.json', [])?.value
      : undefined;
  const isUnderWay = readPathKind(place) === 'directory';
  const detailField = typeof detail === 'string' ? { detail } : isUnderWay ? { detail: 'It is still running.' } : {};
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

const doubtCache = new Map<string, { mark: string; doubt: TrustProblem | undefined }>();

// A page that is watched asks again and again, and a package seldom changes.
function cachedDoubt(place: string, summary: SummaryJson): TrustProblem | undefined {
  const mark = listTree(place)
    .map(({ path }) => `${path} ${readChangeStamp(join(place, path))}`)
    .join('\n');
  const before = doubtCache.get(place);
  if (before?.mark === mark) return before.doubt;
  const doubt = findTrustProblem(place, summary);
  doubtCache.set(place, { mark, doubt });
  return doubt;
}

function findRunNames(dir: string): string[] {
  const files = listTree(dir).filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const names = files.flatMap(({ path }) => /^(.+)\/(summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}
