// The rows of a suite that is served: as its index lists them, as they lie there, and as they are under way.
import { join } from 'node:path';
import type { Doubt } from '../../evidence/doubt.js';
import type { SummaryJson } from '../../evidence/models/summary.js';
import { readPart } from '../../evidence/packageDocuments.js';
import type { DeclaredClaim, SuiteRun } from '../../evidence/suiteIndex.js';
import { changedAt, changeMark, insideOf, kindOf } from '../../system/files.js';
import { listTree } from '../../system/listTree.js';
import { checkSuite, doubtFrom } from '../../verify/checkSuite.js';
import { doubtOf } from '../../verify/doubtOf.js';
import { jsonAt } from '../../verify/listedIn.js';
import { triesOf } from '../suite/attemptsPage.js';
import type { SuiteRow } from '../suite/suitePage.js';
import { liveAt, liveIn } from './livePlaces.js';

type Listed = { id: string; kind?: unknown; outcome?: unknown; flaky?: unknown; detail?: unknown; claims?: unknown };

type Index = { state?: unknown; selection?: unknown; started_at?: unknown; problems?: unknown; resolutions?: unknown };

function indexIn(dir: string): Index {
  return (jsonAt(join(dir, 'suite.json')) ?? {}) as Index;
}

/** What the index says of the run as a whole. */
export function runIn(dir: string): SuiteRun {
  const { state, selection, started_at, problems } = indexIn(dir);
  return {
    state: state === 'running' ? 'running' : 'finished',
    selection: textsIn(selection),
    problems: textsIn(problems),
    ...(typeof started_at === 'string' ? { startedAt: started_at } : {}),
  };
}

/** Why the suite as a whole is not what its run left. */
export function suiteDoubts(dir: string): string[] {
  return (checkSuite(dir)?.findings ?? []).map(({ message }) => message);
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

export function rowsIn(dir: string): SuiteRow[] {
  const { state, resolutions } = indexIn(dir);
  // Whoever writes a state writes every package into the index that it has: what else lies there is of a former run.
  const isIndexed = state !== undefined;
  const listed = Array.isArray(resolutions) ? resolutions.filter((one): one is Listed => typeof one?.id === 'string') : [];
  const found = listed.length > 0 ? listed : namesBelow(dir).map((id): Listed => ({ id }));
  const live = new Set(liveIn(dir));
  const fresh = [...live].filter((id) => !found.some((one) => one.id === id)).map((id): Listed => ({ id }));
  const check = checkSuite(dir);
  const untrusted = new Map(
    [...(check?.packages ?? []), ...(check?.unlisted ?? [])].flatMap(({ name, finding }) =>
      finding ? [[name, doubtFrom(finding)] as const] : [],
    ),
  );
  const added = (check?.unlisted ?? []).filter(({ name }) => !live.has(name)).map(({ name }): Listed => ({ id: name }));
  let verified = 0;
  return [...found, ...fresh, ...added].flatMap((one) => {
    const place = insideOf(dir, one.id);
    if (place === undefined) return [];
    if (live.has(one.id)) return [liveRow(dir, one.id)];
    const row = isIndexed && one.kind === 'not_executed' ? rowWithout(dir, one) : rowOf(dir, place, one);
    if (!row.summary) return [live.size > 0 && kindOf(place) === undefined ? { ...row, detail: 'It has not begun yet.' } : row];
    const doubt = untrusted.get(one.id) ?? (verified++ < mostVerified ? doubtAt(place, row.summary) : tooMany);
    return [{ ...row, doubt }];
  });
}

// A run that was killed looks the same: when it was last heard of tells them apart.
function liveRow(dir: string, name: string): SuiteRow {
  const last = changedAt(join(liveAt(dir, name) ?? '', 'journal.jsonl'));
  const detail = `It is still running${last === undefined ? '' : `; its journal grew last at ${last}`}.`;
  return { name, isRunning: true, detail, earlier: triesOf(dir, name) };
}

/** Verifying more packages than these would take longer than anybody waits for a page. */
const mostVerified = 200;
const tooMany: Doubt = {
  isBroken: false,
  why: 'there are too many packages for this page; its own page says whether it is intact',
};

function rowOf(dir: string, place: string, { id, flaky, detail }: Listed): SuiteRow {
  const summary =
    kindOf(join(place, 'summary.json')) === 'file' ? readPart<SummaryJson>(place, 'summary.json', [])?.value : undefined;
  const isUnderWay = kindOf(place) === 'directory';
  const said = typeof detail === 'string' ? { detail } : isUnderWay ? { detail: 'It is still running.' } : {};
  return { name: id, summary, isFlaky: flaky === true, earlier: triesOf(dir, id), ...said };
}

function rowWithout(dir: string, { id, outcome, detail, claims }: Listed): SuiteRow {
  return {
    name: id,
    skipped: outcome === 'skipped',
    notRun: outcome === 'not_run',
    earlier: triesOf(dir, id),
    ...(typeof detail === 'string' ? { detail } : {}),
    claims: Array.isArray(claims) ? claims.filter(isClaim) : [],
  };
}

function isClaim(claim: unknown): claim is DeclaredClaim {
  const { id, claim: text } = Object(claim) as { id?: unknown; claim?: unknown };
  return typeof id === 'string' && typeof text === 'string';
}

const known = new Map<string, { mark: string; doubt: Doubt | undefined }>();

// A page that is watched asks again and again, and a package seldom changes.
function doubtAt(place: string, summary: SummaryJson): Doubt | undefined {
  const mark = listTree(place)
    .map(({ path }) => `${path} ${changeMark(join(place, path))}`)
    .join('\n');
  const before = known.get(place);
  if (before?.mark === mark) return before.doubt;
  const doubt = doubtOf(place, summary);
  known.set(place, { mark, doubt });
  return doubt;
}

function namesBelow(dir: string): string[] {
  const files = listTree(dir).filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const names = files.flatMap(({ path }) => /^(.+)\/(summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}
