// Whether the packages of a suite are those that its index lists: each in its place, with its digest and of its recipe, and no others.
import { join } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { differingTrees } from '../../evidence/differingTrees.js';
import { digestOf } from '../../evidence/digest.js';
import type { Summary } from '../../evidence/summary.js';
import { insideOf, kindOf } from '../../system/files.js';
import { listTree, type TreeEntry } from '../../system/listTree.js';
import type { Doubt } from './doubtOf.js';
import { jsonAt } from './listedIn.js';

type Listed = { id: string; kind: string; status?: unknown; summary_path?: unknown; summary_digest?: unknown; outcome?: unknown };

export type SuiteCheck = {
  /** Otherwise nothing pins the packages. */
  isOurs: boolean;
  isRunning: boolean;
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
  const { listed, isRunning, isOurs } = index;
  const tree = listTree(dir);
  const packages = listed
    .filter(({ kind }) => kind === 'verdict')
    .map((one) => {
      const problem = problemOf(dir, one, { isRunning, isOurs, tree });
      return { name: one.id, dir: join(dir, one.id), ...(problem ? { finding: problem } : {}) };
    });
  const summaries = packages.flatMap(({ name, dir: place, finding }) => (finding ? [] : [{ name, summary: summaryIn(place) }]));
  return {
    isOurs,
    isRunning,
    packages,
    notExecuted: listed
      .filter(({ kind }) => kind !== 'verdict')
      .map(({ id, outcome }) => ({ name: id, outcome: String(outcome) })),
    unlisted: isOurs ? unlistedIn(dir, tree, listed) : [],
    findings: differingTrees(summaries).map(({ detail }) =>
      suiteFinding(dir, 'suite.differing_trees', detail, 'Run all recipes on one work tree.'),
    ),
  };
}

/** Why a package of a suite is not the one that the index lists; undefined for one that it lists so, and outside of suites. */
export function suiteDoubt(dir: string, name: string): Doubt | undefined {
  const index = indexIn(dir);
  const one = index?.listed.find(({ id }) => id === name);
  const problem = index && one?.kind === 'verdict' ? problemOf(dir, one, { ...index, tree: [] }) : undefined;
  return problem && doubtFrom(problem);
}

export function doubtFrom({ message }: Finding): Doubt {
  return { isBroken: true, why: message };
}

function indexIn(dir: string): { listed: Listed[]; isRunning: boolean; isOurs: boolean } | undefined {
  const { resolutions, state, scope_digest } = Object(jsonAt(join(dir, 'suite.json'))) as Record<string, unknown>;
  if (!Array.isArray(resolutions)) return undefined;
  const listed = resolutions.filter((one): one is Listed => typeof one?.id === 'string' && typeof one.kind === 'string');
  return { listed, isRunning: state === 'running', isOurs: scope_digest !== undefined };
}

type Around = { isRunning: boolean; isOurs: boolean; tree: readonly TreeEntry[] };

function problemOf(
  dir: string,
  { id, status, summary_path, summary_digest }: Listed,
  { isRunning, isOurs, tree }: Around,
): Finding | undefined {
  const name = JSON.stringify(id);
  const other = (message: string): Finding =>
    suiteFinding(dir, 'suite.other_package', message, 'Take the whole directory as the run left it, or run the recipes again.');
  const place = insideOf(dir, id);
  if (place === undefined) return other(`suite.json lists ${name}, which leads out of the suite.`);
  if (tree.some(({ path, kind }) => kind === 'link' && `${id}/`.startsWith(`${path}/`)))
    return other(`The package ${name} is reached by a link, so that it can change while the suite stays the same.`);
  const summary = summaryIn(place);
  if (!summary) {
    const hint = 'Take the whole directory as the run left it.';
    return suiteFinding(dir, 'suite.missing_package', `suite.json lists a package ${name}, but it is not there.`, hint);
  }
  if (!isOurs) return undefined;
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
  const summary = kindOf(place) === 'directory' ? jsonAt(join(place, 'summary.json')) : undefined;
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
