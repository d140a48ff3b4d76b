// Whether the packages of a suite are those that its index lists: each in its place, with its digest and of its recipe, and no others.
import { dirname, join, relative, sep } from 'node:path';
import type { Finding } from '../document/finding.js';
import { differingTrees } from '../evidence/differingTrees.js';
import { canonicalJson, digestOf } from '../evidence/digest.js';
import type { Doubt } from '../evidence/doubt.js';
import { ownSuiteId, scopeDigest } from '../evidence/suiteIndex.js';
import { originOf } from '../evidence/suiteOrigin.js';
import { totalsOf } from '../evidence/suiteOutcome.js';
import type { Summary } from '../evidence/summary.js';
import { readPathKind, resolveInside } from '../system/files/files.js';
import { listTree, type TreeEntry } from '../system/files/listTree.js';
import { jsonAt } from './listedIn.js';

type Listed = { id: string; kind: string } & Partial<
  Record<'status' | 'summary_path' | 'summary_digest' | 'outcome' | 'detail', unknown>
>;

export type SuiteCheck = {
  /** Otherwise nothing pins the packages. */
  isPinned: boolean;
  isRunning: boolean;
  /** What went wrong in the run besides its recipes, as the index says. */
  problems: string[];
  /** The packages that the index lists, and why one is not the package that it lists. */
  packages: { name: string; dir: string; finding?: Finding }[];
  notExecuted: { name: string; outcome: string }[];
  /** Packages that lie there and are not listed, with the finding that says so. */
  unlisted: { name: string; dir: string; finding: Finding }[];
  /** What is wrong with the suite as a whole. */
  findings: Finding[];
};

/** Undefined where there is no index of a suite. */
export function checkSuite(dir: string): SuiteCheck | undefined {
  const index = indexIn(dir);
  if (!index) return undefined;
  const { listed, isRunning, isPinned, problems } = index;
  const tree = listTree(dir);
  const packages = listed
    .filter(({ kind }) => kind === 'verdict')
    .map((one) => {
      const problem = problemOf(dir, one, { isRunning, isPinned, tree });
      return { name: one.id, dir: join(dir, one.id), ...(problem ? { finding: problem } : {}) };
    });
  const summaries = packages.flatMap(({ name, dir: place, finding }) => (finding ? [] : [{ name, summary: summaryIn(place) }]));
  return {
    isPinned,
    isRunning,
    problems,
    packages,
    notExecuted: listed
      .filter(({ kind }) => kind !== 'verdict')
      .map(({ id, outcome }) => ({ name: id, outcome: String(outcome) })),
    unlisted: isPinned ? unlistedIn(dir, tree, listed) : [],
    findings: [
      ...changesOf(index, summaries.length === packages.length ? summaries : []).map((message) =>
        suiteFinding(
          dir,
          'suite.changed_index',
          message,
          'Take the whole directory as the run left it, or run the recipes again.',
        ),
      ),
      ...differingTrees(summaries).map(({ detail }) =>
        suiteFinding(dir, 'suite.differing_trees', detail, 'Run all recipes on one work tree.'),
      ),
    ],
  };
}

/** Why a package is not the one that the index of the suite around it lists; undefined for one that it lists so, or not at all. */
export function placeFinding(dir: string): Finding | undefined {
  const suite = suiteAround(dir);
  const index = suite === undefined ? undefined : indexIn(suite);
  const name = relative(suite ?? dir, dir)
    .split(sep)
    .join('/');
  const one = index?.listed.find(({ id }) => id === name);
  if (suite === undefined || !index || !one) return undefined;
  if (one.kind === 'verdict') return problemOf(suite, one, { ...index, tree: [] });
  return index.isOurs ? earlierRun(suite, one, index.isRunning) : undefined;
}

function suiteAround(dir: string): string | undefined {
  const parent = dirname(dir);
  if (parent === dir) return undefined;
  return readPathKind(join(parent, 'suite.json')) === 'file' ? parent : suiteAround(parent);
}

function earlierRun(suite: string, { id, outcome, detail }: Listed, isRunning: boolean): Finding {
  const name = JSON.stringify(id);
  const came = outcome === 'not_run' ? 'was not run' : outcome === 'skipped' ? 'was skipped' : 'left no package';
  const message = isRunning
    ? `The run of its suite has begun and not ended, or was killed, and does not list ${name} yet: the package may be of an earlier run.`
    : `The package is of an earlier run: the index of its suite says that ${name} ${came} (${String(detail)})`;
  const hint = isRunning ? 'Verify it again when the run has ended.' : 'Run the recipe again.';
  return suiteFinding(suite, earlierPackage, message, hint);
}

const earlierPackage = 'suite.earlier_package';

export function placeDoubt(dir: string): Doubt | undefined {
  const finding = placeFinding(dir);
  return finding && doubtFrom(finding);
}

/** A package of an earlier run is what that run left. */
export function doubtFrom({ code, message }: Finding): Doubt {
  return { isBroken: code !== earlierPackage, why: message };
}

type Index = {
  said: Readonly<Record<string, unknown>>;
  listed: Listed[];
  isRunning: boolean;
  /** Written by recipewright, as far as its form tells. */
  isOurs: boolean;
  isPinned: boolean;
  problems: string[];
};

function indexIn(dir: string): Index | undefined {
  const said = Object(jsonAt(join(dir, 'suite.json'))) as Record<string, unknown>;
  const { resolutions, state, suite_id, scope_digest, problems } = said;
  if (!Array.isArray(resolutions)) return undefined;
  const listed = resolutions.filter((one): one is Listed => typeof one?.id === 'string' && typeof one.kind === 'string');
  // Suites of others have neither a state nor our id, and their summaries lie elsewhere.
  const isOurs =
    state !== undefined ||
    suite_id === ownSuiteId ||
    listed.some(({ id, summary_path }) => summary_path === `${id}/summary.json`);
  const texts = Array.isArray(problems) ? problems.map(String) : [];
  return {
    said,
    listed,
    isRunning: state === 'running',
    isOurs,
    isPinned: isOurs || scope_digest !== undefined,
    problems: texts,
  };
}

type Named = { name: string; summary: Summary | undefined };

/** What of an index of ours does not follow from its entries and, where all of them are there, from its packages. */
function changesOf({ said, listed, isRunning, isOurs }: Index, packages: readonly Named[]): string[] {
  if (!isOurs) return [];
  const { suite_id, scope_digest, started_at, commits, resolutions } = said;
  if (scope_digest === undefined)
    return ['suite.json has no "scope_digest", which every index of recipewright has: it was changed after the run.'];
  const scope = scopeDigest(suite_id, resolutions as Listed[]);
  const totals = Object(said.totals) as Record<string, unknown>;
  const counts = Object.entries(totalsOf(listed)).filter(([name, count]) => totals[name] !== count);
  const origin = originOf(packages.flatMap(({ summary }) => summary ?? []));
  const isTold = !isRunning && origin.started_at !== undefined;
  const isElsewhere = isTold && canonicalJson({ started_at, commits }) !== canonicalJson(origin);
  return [
    ...(scope === scope_digest
      ? []
      : [
          `suite.json lists other recipes than its run planned: its "scope_digest" is ${String(scope_digest)}, but its entries have ${scope}.`,
        ]),
    ...counts.map(([name, count]) => `suite.json counts ${String(totals[name])} ${name.replace('_', ' ')}, but lists ${count}.`),
    ...(isElsewhere ? [`suite.json says ${originIn(said)}, but its packages say ${originIn(origin)}.`] : []),
  ];
}

function originIn({ started_at, commits }: Readonly<Record<string, unknown>>): string {
  return `${String(started_at)} on ${canonicalJson(commits ?? [])}`;
}

type Around = { isRunning: boolean; isPinned: boolean; tree: readonly TreeEntry[] };

function problemOf(
  dir: string,
  { id, status, summary_path, summary_digest }: Listed,
  { isRunning, isPinned, tree }: Around,
): Finding | undefined {
  const name = JSON.stringify(id);
  const other = (message: string): Finding =>
    suiteFinding(dir, 'suite.other_package', message, 'Take the whole directory as the run left it, or run the recipes again.');
  const place = resolveInside(dir, id);
  if (place === undefined) return other(`suite.json lists ${name}, which leads out of the suite.`);
  if (tree.some(({ path, kind }) => kind === 'link' && `${id}/`.startsWith(`${path}/`)))
    return other(`The package ${name} is reached by a link, so that it can change while the suite stays the same.`);
  const summary = summaryIn(place);
  if (!summary) {
    const hint = 'Take the whole directory as the run left it.';
    return suiteFinding(dir, 'suite.missing_package', `suite.json lists a package ${name}, but it is not there.`, hint);
  }
  if (!isPinned) return undefined;
  const ran = summary.recipe?.id;
  if (typeof ran === 'string' && id !== ran && !id.startsWith(`${ran}--`))
    return other(`The package in ${name} is of another recipe, ${JSON.stringify(ran)}.`);
  // While a run goes on, a package is there before the index says so.
  if (isRunning) return undefined;
  if (summary_path !== undefined && summary_path !== `${id}/summary.json`)
    return other(`suite.json says that the package ${name} is in ${JSON.stringify(summary_path)}.`);
  const digest = digestOf(summary);
  if (digest !== summary_digest)
    return other(
      `The package ${name} is not the one that suite.json lists: its summary has the digest ${digest}, not ${String(summary_digest)}.`,
    );
  if (status === undefined || status === summary.status) return undefined;
  const message = `suite.json says ${JSON.stringify(status)} of ${name}, but its package says ${JSON.stringify(summary.status)}.`;
  return suiteFinding(dir, 'suite.other_verdict', message, 'The index was changed after the run: believe the package.');
}

function summaryIn(place: string): Summary | undefined {
  const summary = readPathKind(place) === 'directory' ? jsonAt(join(place, 'summary.json')) : undefined;
  return typeof summary === 'object' && summary !== null ? (summary as Summary) : undefined;
}

// Attempts and runs under way lie in folders whose names begin with a dot.
function unlistedIn(dir: string, tree: readonly TreeEntry[], listed: readonly Listed[]): SuiteCheck['unlisted'] {
  const files = tree.filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const found = new Set(files.flatMap(({ path }) => /^(.+)\/(?:summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []));
  const isListed = (name: string): boolean => listed.some(({ id }) => name === id || name.startsWith(`${id}/`));
  return [...found]
    .filter((name) => !isListed(name))
    .map((name) => {
      const message = `There is a package ${JSON.stringify(name)} that suite.json does not list: it is of another run, or was put there.`;
      const hint = 'Remove it, or run the recipes again into an empty directory.';
      return { name, dir: join(dir, name), finding: suiteFinding(dir, 'suite.unlisted_package', message, hint) };
    });
}

export function suiteFinding(dir: string, code: string, message: string, hint: string): Finding {
  return { code, severity: 'error', path: '', place: { file: join(dir, 'suite.json'), line: 1, column: 1 }, message, hint };
}
