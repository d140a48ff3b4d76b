// Renders the pages of a served directory from its current content.
import { join } from 'node:path';
import { readFirstFailure, readPackage } from '../../evidence/readPackage.js';
import type { Coverage } from '../../evidence/suite.js';
import { html } from '../../pages/html.js';
import { openReview, type ReviewFacts, reviewPage } from '../../pages/review/reviewPage.js';
import { readPathKind, resolveInside } from '../../system/files/files.js';
import { findPlaceProblem, findTrustProblem } from '../../verify/packageTrust.js';
import { CoverageCollector } from '../suite/coverageCollector.js';
import { attemptsPageFile, countTries, renderAttemptsPage } from '../suite/renderAttemptsPage.js';
import { type SuiteRow, suitePage } from '../suite/suitePage.js';
import { findSuiteProblems, readSuiteRows, readSuiteRun } from './readSuiteRows.js';
import { liveRunDir, renderLivePage } from './renderLivePage.js';

/** Renders the page of a package, of a live run or of a suite. `name` is its path below the served directory. */
export function renderServedPage(root: string, name: string): string {
  const dir = join(root, name);
  const live = liveRunDir(root, name);
  if (live !== undefined) return renderLivePage(live);
  if (readPathKind(join(dir, 'summary.json')) === 'file')
    return renderPackagePage(dir, { tries: findTries(root, name), trustProblem: findPlaceProblem(dir) });
  if (readPathKind(join(dir, 'journal.jsonl')) === 'file') return renderLivePage(dir);
  const rows = readSuiteRows(dir);
  if (rows.length === 0) return noReviewPage('There is neither a package nor a suite in this directory.');
  return suitePage({
    rows,
    findFailure: (packageName) => readFirstFailure(join(dir, packageName)),
    coverage: collectCoverage(dir, rows),
    ...readSuiteRun(dir),
    trustProblems: findSuiteProblems(dir),
  });
}

/** Reading the traces of more runs makes the page too slow. */
const maxRunsForCoverage = 100;

function collectCoverage(dir: string, rows: readonly SuiteRow[]): Coverage | undefined {
  const ended = rows.filter(({ summary }) => summary);
  if (ended.length === 0 || ended.length > maxRunsForCoverage) return undefined;
  const coverage = new CoverageCollector();
  for (const { name } of ended) {
    const { trace = [], recipe } = readPackage(join(dir, name));
    const review = openReview(recipe);
    for (const entry of trace) review.addEntry(entry);
    coverage.addRun(name, review.runGraph());
    coverage.declare(recipe);
  }
  return coverage.result();
}

/** Renders the page that compares all tries of a recipe. Returns undefined when `path` is not the path of such a page. */
export function renderAttemptsPageAt(dir: string, path: string): string | undefined {
  const [, name] = /^\.attempts\/(.+)\/compare\/index\.html$/.exec(path) ?? [];
  if (name === undefined || resolveInside(dir, name) === undefined) return undefined;
  return renderAttemptsPage(dir, name, { earlier: countTries(dir, name), findTrustProblem });
}

/** Returns undefined for a recipe with only one try. */
function findTries(root: string, name: string): ReviewFacts['tries'] {
  const [, recipeName, index] = /^\.attempts\/(.+)\/(\d+)$/.exec(name) ?? [];
  const total = countTries(root, recipeName ?? name) + 1;
  if (total === 1) return undefined;
  const up = name.split('/').map(() => '..');
  return {
    number: index === undefined ? total : Number(index) + 1,
    total,
    comparePath: [...up, attemptsPageFile(recipeName ?? name)].join('/'),
  };
}

function renderPackagePage(dir: string, { tries, trustProblem }: Pick<ReviewFacts, 'tries' | 'trustProblem'>): string {
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary) return noReviewPage(findings[0]?.message ?? 'There is no summary.');
  return reviewPage({
    summary,
    trace,
    artifacts: manifest?.artifacts ?? [],
    recipe,
    trustProblem: trustProblem ?? findTrustProblem(dir, summary),
    tries,
  });
}

function noReviewPage(message: string): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No review</title><meta name="color-scheme" content="light dark"></head><body><main><h1>No review</h1><p>${message}</p></main></body></html>`
    .text;
}
