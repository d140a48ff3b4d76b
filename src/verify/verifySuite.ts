// Whether a suite is what its run left behind, and what all of its recipes together prove.

import { dirname, join, relative, sep } from 'node:path';
import { type Finding, hasErrors } from '../document/finding.js';
import { canonicalJson, digestOf } from '../evidence/digest.js';
import { countTotals } from '../evidence/suite.js';
import { ownSuiteId, scopeDigest } from '../evidence/suiteIndex.js';
import { describeDifferingTrees, findSuiteOrigin } from '../evidence/suiteOrigin.js';
import type { Summary } from '../evidence/summary.js';
import type { Status } from '../recipe/recipe.js';
import { readPathKind, resolveInside } from '../system/files/files.js';
import { listTree, type TreeEntry } from '../system/files/listTree.js';
import { readJson } from './readPackageParts.js';
import { type Verification, type VerifyOptions, verifyPackage } from './verifyPackage.js';

export type SuiteVerification = Pick<Verification, 'status' | 'verdict' | 'reason' | 'findings'> & {
  packages: (Verification & { name: string })[];
  notExecuted: SuiteCheck['notExecuted'];
};

/** Undefined for a directory that is no suite. */
export function verifySuite(dir: string, options: VerifyOptions = {}): SuiteVerification | undefined {
  const suite = checkSuite(dir);
  if (!suite) return undefined;
  const listed = suite.packages.filter(({ finding }) => finding?.code !== 'suite.missing_package');
  const packages = listed.map(({ name, dir: place, finding }) => ({
    name,
    ...verifyPackage(place, options),
    ...(finding ? invalidForFinding(finding) : {}),
  }));
  const findings = [
    ...(suite.isPinned ? [] : [notPinnedFinding(dir)]),
    ...suite.findings,
    ...suite.packages.flatMap(({ finding }) => finding ?? []),
    ...suite.unlisted.map(({ finding }) => finding),
    ...packages.flatMap((one) => one.findings),
  ];
  return { ...judgeSuite(suite, packages, findings), findings, packages, notExecuted: suite.notExecuted };
}

/** It may be intact, but it is not the package of its suite. */
export function invalidForFinding({ message }: Finding): Pick<Verification, 'status' | 'verdict' | 'reason' | 'proof'> {
  return { status: 'invalid', verdict: 'unknown', reason: message, proof: [] };
}

function notPinnedFinding(dir: string): Finding {
  const message = 'suite.json has no "scope_digest": it is not an index of recipewright, and nothing pins the packages.';
  return suiteFinding(dir, 'suite.not_pinned', message, 'Verify the packages one by one.');
}

type SuiteVerdict = Pick<SuiteVerification, 'status' | 'verdict' | 'reason'>;

function judgeSuite(suite: SuiteCheck, packages: readonly Verification[], findings: readonly Finding[]): SuiteVerdict {
  const { isRunning, notExecuted, problems } = suite;
  const first = findings.find(({ severity }) => severity === 'error');
  if (hasErrors(findings))
    return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${first?.message}` };
  if (isRunning)
    return { status: 'incomplete', verdict: 'unknown', reason: 'the run has begun and has not ended, or was killed' };
  const of = (verdict: Status): number => packages.filter((one) => one.verdict === verdict).length;
  const left = (outcome: string): number => notExecuted.filter((one) => one.outcome === outcome).length;
  const counts = {
    failed: of('fail'),
    unknown: of('unknown') + notExecuted.length - left('skipped') - left('not_run'),
    skipped: left('skipped'),
    'not run': left('not_run'),
  };
  const rest = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`, ${count} ${word}`] : []));
  const [problem] = problems;
  const but = problem === undefined ? '' : `, but ${problem}`;
  const reason = `${of('pass')} of ${packages.length + notExecuted.length} recipes passed${rest.join('')}${but}`;
  const status = packages.some((one) => one.status === 'incomplete') ? 'incomplete' : 'verified';
  if (counts.failed > 0) return { status, verdict: 'fail', reason };
  const isOpen = counts.unknown + counts['not run'] + problems.length > 0;
  return { status, verdict: of('pass') > 0 && !isOpen ? 'pass' : 'unknown', reason };
}

// Whether the packages of a suite are those that its index lists: each in its place, with its digest and of its recipe, and no others.

type ListedCase = { id: string; kind: string } & Partial<
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
  const index = readIndex(dir);
  if (!index) return undefined;
  const { listed, isRunning, isPinned, problems } = index;
  const tree = listTree(dir);
  const packages = listed
    .filter(({ kind }) => kind === 'verdict')
    .map((one) => {
      const problem = findPackageProblem(dir, one, { isRunning, isPinned, tree });
      return { name: one.id, dir: join(dir, one.id), ...(problem ? { finding: problem } : {}) };
    });
  const summaries = packages.flatMap(({ name, dir: place, finding }) =>
    finding ? [] : [{ name, summary: readSummaryIn(place) }],
  );
  return {
    isPinned,
    isRunning,
    problems,
    packages,
    notExecuted: listed
      .filter(({ kind }) => kind !== 'verdict')
      .map(({ id, outcome }) => ({ name: id, outcome: String(outcome) })),
    unlisted: isPinned ? findUnlisted(dir, tree, listed) : [],
    findings: [
      ...findIndexChanges(index, summaries.length === packages.length ? summaries : []).map((message) =>
        suiteFinding(
          dir,
          'suite.changed_index',
          message,
          'Take the whole directory as the run left it, or run the recipes again.',
        ),
      ),
      ...describeDifferingTrees(summaries).map(({ detail }) =>
        suiteFinding(dir, 'suite.differing_trees', detail, 'Run all recipes on one work tree.'),
      ),
    ],
  };
}

/** Why a package is not the one that the index of the suite around it lists; undefined for one that it lists so, or not at all. */
export function checkPlaceInSuite(dir: string): Finding | undefined {
  const suite = findSuiteAround(dir);
  const index = suite === undefined ? undefined : readIndex(suite);
  const name = relative(suite ?? dir, dir)
    .split(sep)
    .join('/');
  const one = index?.listed.find(({ id }) => id === name);
  if (suite === undefined || !index || !one) return undefined;
  if (one.kind === 'verdict') return findPackageProblem(suite, one, { ...index, tree: [] });
  return index.isOurs ? earlierRunFinding(suite, one, index.isRunning) : undefined;
}

function findSuiteAround(dir: string): string | undefined {
  const parent = dirname(dir);
  if (parent === dir) return undefined;
  return readPathKind(join(parent, 'suite.json')) === 'file' ? parent : findSuiteAround(parent);
}

function earlierRunFinding(suite: string, { id, outcome, detail }: ListedCase, isRunning: boolean): Finding {
  const name = JSON.stringify(id);
  const came = outcome === 'not_run' ? 'was not run' : outcome === 'skipped' ? 'was skipped' : 'left no package';
  const message = isRunning
    ? `The run of its suite has begun and not ended, or was killed, and does not list ${name} yet: the package may be of an earlier run.`
    : `The package is of an earlier run: the index of its suite says that ${name} ${came} (${String(detail)})`;
  const hint = isRunning ? 'Verify it again when the run has ended.' : 'Run the recipe again.';
  return suiteFinding(suite, earlierPackageCode, message, hint);
}

export const earlierPackageCode = 'suite.earlier_package';

type SuiteIndex = {
  json: Readonly<Record<string, unknown>>;
  listed: ListedCase[];
  isRunning: boolean;
  /** Written by recipewright, as far as its form tells. */
  isOurs: boolean;
  isPinned: boolean;
  problems: string[];
};

function readIndex(dir: string): SuiteIndex | undefined {
  const json = Object(readJson(join(dir, 'suite.json'))) as Record<string, unknown>;
  const { resolutions, state, suite_id, scope_digest, problems } = json;
  if (!Array.isArray(resolutions)) return undefined;
  const listed = resolutions.filter((one): one is ListedCase => typeof one?.id === 'string' && typeof one.kind === 'string');
  // Suites of others have neither a state nor our id, and their summaries lie elsewhere.
  const isOurs =
    state !== undefined ||
    suite_id === ownSuiteId ||
    listed.some(({ id, summary_path }) => summary_path === `${id}/summary.json`);
  const texts = Array.isArray(problems) ? problems.map(String) : [];
  return {
    json,
    listed,
    isRunning: state === 'running',
    isOurs,
    isPinned: isOurs || scope_digest !== undefined,
    problems: texts,
  };
}

type NamedSummary = { name: string; summary: Summary | undefined };

/** What of an index of ours does not follow from its entries and, where all of them are there, from its packages. */
function findIndexChanges({ json, listed, isRunning, isOurs }: SuiteIndex, packages: readonly NamedSummary[]): string[] {
  if (!isOurs) return [];
  const { suite_id, scope_digest, started_at, commits, resolutions } = json;
  if (scope_digest === undefined)
    return ['suite.json has no "scope_digest", which every index of recipewright has: it was changed after the run.'];
  const scope = scopeDigest(suite_id, resolutions as ListedCase[]);
  const totals = Object(json.totals) as Record<string, unknown>;
  const counts = Object.entries(countTotals(listed)).filter(([name, count]) => totals[name] !== count);
  const origin = findSuiteOrigin(packages.flatMap(({ summary }) => summary ?? []));
  const hasOrigin = !isRunning && origin.started_at !== undefined;
  const originDiffers = hasOrigin && canonicalJson({ started_at, commits }) !== canonicalJson(origin);
  return [
    ...(scope === scope_digest
      ? []
      : [
          `suite.json lists other recipes than its run planned: its "scope_digest" is ${String(scope_digest)}, but its entries have ${scope}.`,
        ]),
    ...counts.map(([name, count]) => `suite.json counts ${String(totals[name])} ${name.replace('_', ' ')}, but lists ${count}.`),
    ...(originDiffers ? [`suite.json says ${describeOrigin(json)}, but its packages say ${describeOrigin(origin)}.`] : []),
  ];
}

function describeOrigin({ started_at, commits }: Readonly<Record<string, unknown>>): string {
  return `${String(started_at)} on ${canonicalJson(commits ?? [])}`;
}

type SuiteContext = { isRunning: boolean; isPinned: boolean; tree: readonly TreeEntry[] };

function findPackageProblem(
  dir: string,
  { id, status, summary_path, summary_digest }: ListedCase,
  { isRunning, isPinned, tree }: SuiteContext,
): Finding | undefined {
  const name = JSON.stringify(id);
  const otherPackage = (message: string): Finding =>
    suiteFinding(dir, 'suite.other_package', message, 'Take the whole directory as the run left it, or run the recipes again.');
  const place = resolveInside(dir, id);
  if (place === undefined) return otherPackage(`suite.json lists ${name}, which leads out of the suite.`);
  if (tree.some(({ path, kind }) => kind === 'link' && `${id}/`.startsWith(`${path}/`)))
    return otherPackage(`The package ${name} is reached by a link, so that it can change while the suite stays the same.`);
  const summary = readSummaryIn(place);
  if (!summary) {
    const hint = 'Take the whole directory as the run left it.';
    return suiteFinding(dir, 'suite.missing_package', `suite.json lists a package ${name}, but it is not there.`, hint);
  }
  if (!isPinned) return undefined;
  const ran = summary.recipe?.id;
  if (typeof ran === 'string' && id !== ran && !id.startsWith(`${ran}--`))
    return otherPackage(`The package in ${name} is of another recipe, ${JSON.stringify(ran)}.`);
  // While a run goes on, a package is there before the index says so.
  if (isRunning) return undefined;
  if (summary_path !== undefined && summary_path !== `${id}/summary.json`)
    return otherPackage(`suite.json says that the package ${name} is in ${JSON.stringify(summary_path)}.`);
  const digest = digestOf(summary);
  if (digest !== summary_digest)
    return otherPackage(
      `The package ${name} is not the one that suite.json lists: its summary has the digest ${digest}, not ${String(summary_digest)}.`,
    );
  if (status === undefined || status === summary.status) return undefined;
  const message = `suite.json says ${JSON.stringify(status)} of ${name}, but its package says ${JSON.stringify(summary.status)}.`;
  return suiteFinding(dir, 'suite.other_verdict', message, 'The index was changed after the run: believe the package.');
}

function readSummaryIn(place: string): Summary | undefined {
  const summary = readPathKind(place) === 'directory' ? readJson(join(place, 'summary.json')) : undefined;
  return typeof summary === 'object' && summary !== null ? (summary as Summary) : undefined;
}

// Attempts and runs under way lie in folders whose names begin with a dot.
function findUnlisted(dir: string, tree: readonly TreeEntry[], listed: readonly ListedCase[]): SuiteCheck['unlisted'] {
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
