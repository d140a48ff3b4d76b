// Verifies that the files of a suite are as the run wrote them, and returns the verdict on all of its recipes together.

import { dirname, join, relative, sep } from 'node:path';
import type { Finding } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { canonicalJson, digestOf } from '../evidence/digest.js';
import { fileFinding, readJson } from '../evidence/readPackageDocuments.js';
import { countTotals, suiteStatus } from '../evidence/suite.js';
import { ownSuiteId, scopeDigest } from '../evidence/suiteIndex.js';
import { describeDifferingTrees, findSuiteOrigin } from '../evidence/suiteOrigin.js';
import type { Summary } from '../evidence/summary.js';
import { readPathKind, resolveInside } from '../system/files/files.js';
import { listTree, type TreeEntry } from '../system/files/listTree.js';
import { type Verification, type VerifyOptions, verifyPackage } from './verifyPackage.js';

export type SuiteVerification = Pick<Verification, 'status' | 'verdict' | 'reason' | 'findings'> & {
  packages: (Verification & { name: string })[];
  notExecuted: SuiteCheck['notExecuted'];
};

/** Verifies the suite in a directory. Returns undefined for a directory that is not a suite. */
export function verifySuite(dir: string, options: VerifyOptions = {}): SuiteVerification | undefined {
  const suite = checkSuite(dir);
  if (!suite) return undefined;
  const existing = suite.packages.filter(({ finding }) => finding?.code !== 'suite.missing_package');
  const packages = existing.map(({ name, dir: packageDir, finding }) => ({
    name,
    ...verifyPackage(packageDir, options),
    ...(finding ? invalidForFinding(finding) : {}),
  }));
  const findings = [
    ...(suite.isPinned ? [] : [notPinnedFinding(dir)]),
    ...suite.findings,
    ...suite.packages.flatMap(({ finding }) => finding ?? []),
    ...suite.unlisted.map(({ finding }) => finding),
    ...packages.flatMap((verification) => verification.findings),
  ];
  return { ...judgeSuite(suite, packages, findings), findings, packages, notExecuted: suite.notExecuted };
}

/** Makes a package invalid that its suite does not list like this. The package itself may be intact. */
export function invalidForFinding({ message }: Finding): Pick<Verification, 'status' | 'verdict' | 'reason' | 'proof'> {
  return { status: 'invalid', verdict: 'unknown', reason: message, proof: [] };
}

function notPinnedFinding(dir: string): Finding {
  const message =
    'suite.json has no "scope_digest", so recipewright did not write it. The packages cannot be checked against it.';
  return suiteFinding(dir, 'suite.not_pinned', message, 'Verify each package separately.');
}

type SuiteVerdict = Pick<SuiteVerification, 'status' | 'verdict' | 'reason'>;

function judgeSuite(suite: SuiteCheck, packages: readonly Verification[], findings: readonly Finding[]): SuiteVerdict {
  const { isRunning, notExecuted, problems } = suite;
  const firstError = findings.find(({ severity }) => severity === 'error');
  if (firstError) {
    return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${firstError.message}` };
  }
  if (isRunning) return { status: 'incomplete', verdict: 'unknown', reason: 'the run has not ended, or was killed' };
  const totals = countTotals([
    ...packages.map(({ verdict }) => ({ kind: 'verdict', status: verdict })),
    ...notExecuted.map(({ outcome }) => ({ kind: 'not_executed', outcome })),
  ]);
  const others = [
    [totals.failed, 'failed'],
    [totals.unknown, 'unknown'],
    [totals.skipped, 'skipped'],
    [totals.not_run, 'not run'],
  ] as const;
  const counts = others.flatMap(([count, word]) => (count > 0 ? [`, ${count} ${word}`] : []));
  const problem = problems[0] === undefined ? '' : `, but ${problems[0]}`;
  return {
    status: packages.some(({ status }) => status === 'incomplete') ? 'incomplete' : 'verified',
    verdict: suiteStatus({ state: 'finished', totals, problems }),
    reason: `${totals.passed} of ${totals.declared} recipes passed${counts.join('')}${problem}`,
  };
}

type ListedCase = { id: string; kind: string } & Partial<
  Record<'status' | 'summary_path' | 'summary_digest' | 'outcome' | 'detail', unknown>
>;

/** The result of a comparison of the packages in a suite with its index: paths, digests, recipes, and packages that are not listed. */
export type SuiteCheck = {
  /** Whether the index pins its packages by digests. */
  isPinned: boolean;
  isRunning: boolean;
  /** The problems of the run outside its recipes, from the index. */
  problems: string[];
  /** The packages that the index lists. A finding means that the directory has another package there, or none. */
  packages: { name: string; dir: string; finding?: Finding }[];
  notExecuted: { name: string; outcome: string }[];
  /** The packages in the directory that the index does not list. */
  unlisted: { name: string; dir: string; finding: Finding }[];
  /** The findings about the suite as a whole. */
  findings: Finding[];
};

/** Compares a suite with its index. Returns undefined for a directory without an index. */
export function checkSuite(dir: string): SuiteCheck | undefined {
  const index = readIndex(dir);
  if (!index) return undefined;
  const { listed, isRunning, isPinned, problems } = index;
  const tree = listTree(dir);
  const packages = listed
    .filter(({ kind }) => kind === 'verdict')
    .map((listedCase) => {
      const finding = findPackageProblem(dir, listedCase, { isRunning, isPinned, tree });
      return { name: listedCase.id, dir: join(dir, listedCase.id), ...omitUndefined({ finding }) };
    });
  const summaries = packages.flatMap(({ name, dir: packageDir, finding }) =>
    finding ? [] : [{ name, summary: readSummaryIn(packageDir) }],
  );
  const changes = findIndexChanges(index, summaries.length === packages.length ? summaries : []);
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
      ...changes.map((message) => suiteFinding(dir, 'suite.changed_index', message, copyAllHint)),
      ...describeDifferingTrees(summaries).map(({ detail }) =>
        suiteFinding(dir, 'suite.differing_trees', detail, 'Run all recipes on one work tree.'),
      ),
    ],
  };
}

const copyAllHint = 'Copy the whole directory from the run again, or run the recipes again.';

/** Returns a finding when the index of the suite lists another package than this one. Undefined when both agree, or without an entry. */
export function checkPlaceInSuite(dir: string): Finding | undefined {
  const suite = findSuiteAbove(dir);
  const index = suite === undefined ? undefined : readIndex(suite);
  const name = relative(suite ?? dir, dir)
    .split(sep)
    .join('/');
  const listedCase = index?.listed.find(({ id }) => id === name);
  if (suite === undefined || !index || !listedCase) return undefined;
  if (listedCase.kind === 'verdict') return findPackageProblem(suite, listedCase, { ...index, tree: [] });
  return index.isOwn ? earlierRunFinding(suite, listedCase, index.isRunning) : undefined;
}

function findSuiteAbove(dir: string): string | undefined {
  const parent = dirname(dir);
  if (parent === dir) return undefined;
  return readPathKind(join(parent, 'suite.json')) === 'file' ? parent : findSuiteAbove(parent);
}

function earlierRunFinding(suite: string, { id, outcome, detail }: ListedCase, isRunning: boolean): Finding {
  const name = JSON.stringify(id);
  const result = outcome === 'not_run' ? 'was not run' : outcome === 'skipped' ? 'was skipped' : 'left no package';
  const message = isRunning
    ? `The run of the suite has not ended, or was killed, and does not list ${name} yet. The package may be of an earlier run.`
    : `The package is of an earlier run: the index of its suite says that ${name} ${result} (${String(detail)}).`;
  const hint = isRunning ? 'Verify the package again after the run.' : 'Run the recipe again.';
  return suiteFinding(suite, earlierPackageCode, message, hint);
}

export const earlierPackageCode = 'suite.earlier_package';

type SuiteIndex = {
  json: Readonly<Record<string, unknown>>;
  listed: ListedCase[];
  isRunning: boolean;
  /** Whether the index looks as if recipewright wrote it. */
  isOwn: boolean;
  isPinned: boolean;
  problems: string[];
};

function readIndex(dir: string): SuiteIndex | undefined {
  const json = Object(readJson(join(dir, 'suite.json'))) as Record<string, unknown>;
  const { resolutions, state, suite_id, scope_digest, problems } = json;
  if (!Array.isArray(resolutions)) return undefined;
  const listed = resolutions.filter(
    (resolution): resolution is ListedCase => typeof resolution?.id === 'string' && typeof resolution.kind === 'string',
  );
  // An index of another program has no state, another id, and other paths of summaries.
  const isOwn =
    state !== undefined ||
    suite_id === ownSuiteId ||
    listed.some(({ id, summary_path }) => summary_path === `${id}/summary.json`);
  return {
    json,
    listed,
    isRunning: state === 'running',
    isOwn,
    isPinned: isOwn || scope_digest !== undefined,
    problems: Array.isArray(problems) ? problems.map(String) : [],
  };
}

type NamedSummary = { name: string; summary: Summary | undefined };

/** Describes where an index contradicts its own entries and, if all packages exist, where it contradicts the packages. */
function findIndexChanges({ json, listed, isRunning, isOwn }: SuiteIndex, packages: readonly NamedSummary[]): string[] {
  if (!isOwn) return [];
  const { suite_id, scope_digest, started_at, commits, resolutions } = json;
  if (scope_digest === undefined)
    return ['suite.json has no "scope_digest", which recipewright always writes. The file was changed after the run.'];
  const scope = scopeDigest(suite_id, resolutions as ListedCase[]);
  const totals = Object(json.totals) as Record<string, unknown>;
  const counts = Object.entries(countTotals(listed)).filter(([name, count]) => totals[name] !== count);
  const origin = findSuiteOrigin(packages.flatMap(({ summary }) => summary ?? []));
  const hasOrigin = !isRunning && origin.started_at !== undefined;
  const originDiffers = hasOrigin && canonicalJson({ started_at, commits }) !== canonicalJson(origin);
  const changes: string[] = [];
  if (scope !== scope_digest)
    changes.push(
      `suite.json lists other recipes than the run planned: its "scope_digest" is ${String(scope_digest)}, but its entries have ${scope}.`,
    );
  for (const [name, count] of counts)
    changes.push(`suite.json counts ${String(totals[name])} ${name.replace('_', ' ')}, but lists ${count}.`);
  if (originDiffers) changes.push(`suite.json says ${describeOrigin(json)}, but its packages say ${describeOrigin(origin)}.`);
  return changes;
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
  const otherPackage = (message: string): Finding => suiteFinding(dir, 'suite.other_package', message, copyAllHint);
  const packageDir = resolveInside(dir, id);
  if (packageDir === undefined) return otherPackage(`suite.json lists ${name}, which is outside the suite.`);
  if (tree.some(({ path, kind }) => kind === 'link' && `${id}/`.startsWith(`${path}/`)))
    return otherPackage(`The path of the package ${name} has a link, so the package can change while the suite stays the same.`);
  const summary = readSummaryIn(packageDir);
  if (!summary) {
    const message = `suite.json lists the package ${name}, which is missing.`;
    return suiteFinding(dir, 'suite.missing_package', message, 'Copy the whole directory from the run again.');
  }
  if (!isPinned) return undefined;
  const recipeId = summary.recipe?.id;
  if (typeof recipeId === 'string' && id !== recipeId && !id.startsWith(`${recipeId}--`))
    return otherPackage(`The package in ${name} is of another recipe: ${JSON.stringify(recipeId)}.`);
  // During a run, a package may be newer than the index.
  if (isRunning) return undefined;
  if (summary_path !== undefined && summary_path !== `${id}/summary.json`)
    return otherPackage(`suite.json says that the package ${name} is in ${JSON.stringify(summary_path)}.`);
  const digest = digestOf(summary);
  if (digest !== summary_digest)
    return otherPackage(
      `The package ${name} is not the one that suite.json lists: its summary has the digest ${digest}, not ${String(summary_digest)}.`,
    );
  if (status === undefined || status === summary.status) return undefined;
  const message = `suite.json has the status ${JSON.stringify(status)} for ${name}, but its package has ${JSON.stringify(summary.status)}.`;
  return suiteFinding(
    dir,
    'suite.other_verdict',
    message,
    'The index was changed after the run. The status in the package is the right one.',
  );
}

function readSummaryIn(packageDir: string): Summary | undefined {
  const summary = readPathKind(packageDir) === 'directory' ? readJson(join(packageDir, 'summary.json')) : undefined;
  return typeof summary === 'object' && summary !== null ? (summary as Summary) : undefined;
}

// Folders whose name begins with a dot contain earlier attempts and running recipes.
function findUnlisted(dir: string, tree: readonly TreeEntry[], listed: readonly ListedCase[]): SuiteCheck['unlisted'] {
  const files = tree.filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const found = new Set(files.flatMap(({ path }) => /^(.+)\/(?:summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []));
  const isListed = (name: string): boolean => listed.some(({ id }) => name === id || name.startsWith(`${id}/`));
  return [...found]
    .filter((name) => !isListed(name))
    .map((name) => {
      const message = `suite.json does not list the package ${JSON.stringify(name)}. The package is of another run, or was added later.`;
      const hint = 'Remove the package, or run the recipes again into an empty directory.';
      return { name, dir: join(dir, name), finding: suiteFinding(dir, 'suite.unlisted_package', message, hint) };
    });
}

function suiteFinding(dir: string, code: string, message: string, hint: string): Finding {
  return fileFinding(join(dir, 'suite.json'), code, { message, hint });
}
