// The pages of a directory that is served, made anew from what it says at this moment.
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
import { readSuiteRows, readSuiteRun, suiteDoubts } from './readSuiteRows.js';
import { liveRunDir, renderLivePage } from './renderLivePage.js';

/** The page of a package, of a run that goes on, or of a suite; `name` is where it lies in the directory that is served. */
export function renderServedPage(root: string, name: string): string {
  const dir = join(root, name);
  const live = liveRunDir(root, name);
  if (live !== undefined) return renderLivePage(live);
  if (readPathKind(join(dir, 'summary.json')) === 'file')
    return packagePage(dir, { tries: findTries(root, name), doubt: findPlaceProblem(dir) });
  if (readPathKind(join(dir, 'journal.jsonl')) === 'file') return renderLivePage(dir);
  const rows = readSuiteRows(dir);
  if (rows.length === 0) return noReviewPage('There is neither a package nor a suite in this directory.');
  const look = (own: string) => readFirstFailure(join(dir, own));
  return suitePage({ rows, look, coverage: collectCoverage(dir, rows), ...readSuiteRun(dir), doubts: suiteDoubts(dir) });
}

/** Following more runs than these would take longer than anybody waits for a page. */
const maxRunsFollowed = 100;

function collectCoverage(dir: string, rows: readonly SuiteRow[]): Coverage | undefined {
  const ended = rows.filter(({ summary }) => summary);
  if (ended.length === 0 || ended.length > maxRunsFollowed) return undefined;
  const coverage = new CoverageCollector();
  for (const { name } of ended) {
    const { trace = [], recipe } = readPackage(join(dir, name));
    const review = openReview(recipe);
    for (const entry of trace) review.see(entry);
    coverage.addRun(name, review.way());
    coverage.declare(recipe);
  }
  return coverage.result();
}

/** The tries of a recipe, if the path asks for them. */
export function renderAttemptsPageAt(dir: string, path: string): string | undefined {
  const [, name] = /^\.attempts\/(.+)\/compare\/index\.html$/.exec(path) ?? [];
  if (name === undefined || resolveInside(dir, name) === undefined) return undefined;
  return renderAttemptsPage(dir, name, { earlier: countTries(dir, name), findDoubt: findTrustProblem });
}

/** Which try it is, if it was tried more than once. */
function findTries(root: string, name: string): ReviewFacts['tries'] {
  const [, recipeName, index] = /^\.attempts\/(.+)\/(\d+)$/.exec(name) ?? [];
  const of = countTries(root, recipeName ?? name) + 1;
  if (of === 1) return undefined;
  const up = name.split('/').map(() => '..');
  return {
    number: index === undefined ? of : Number(index) + 1,
    of,
    compare: [...up, attemptsPageFile(recipeName ?? name)].join('/'),
  };
}

function packagePage(dir: string, { tries, doubt: untrusted }: Pick<ReviewFacts, 'tries' | 'doubt'>): string {
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary) return noReviewPage(findings[0]?.message ?? 'There is no summary.');
  const doubt = untrusted ?? findTrustProblem(dir, summary);
  return reviewPage({ summary, trace, artifacts: manifest?.artifacts ?? [], recipe, doubt, tries });
}

function noReviewPage(words: string): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No review</title><meta name="color-scheme" content="light dark"></head><body><main><h1>No review</h1><p>${words}</p></main></body></html>`
    .text;
}
