// The pages of a directory that is served, made anew from what it says at this moment.
import { join } from 'node:path';
import { doubtOf } from '../../check/verify/doubtOf.js';
import { jsonAt } from '../../check/verify/listedIn.js';
import { firstFailure } from '../../evidence/firstFailure.js';
import type { SummaryJson } from '../../evidence/models/summary.js';
import { readPart } from '../../evidence/packageDocuments.js';
import { readPackage } from '../../evidence/readPackage.js';
import type { Coverage } from '../../evidence/suiteCoverage.js';
import { insideOf, kindOf } from '../../system/files.js';
import { listTree } from '../../system/listTree.js';
import { html } from '../html.js';
import { openReview, reviewPage } from '../page/reviewPage.js';
import { attemptsPage, triesOf } from '../suite/attemptsPage.js';
import { SuiteCoverage } from '../suite/coverage.js';
import { type SuiteRow, suitePage } from '../suite/suitePage.js';
import { livePage } from './livePage.js';

/** The page of a package, of a run that goes on, or of a suite. */
export function pageOf(dir: string): string {
  if (kindOf(join(dir, 'summary.json')) === 'file') return packagePage(dir);
  if (kindOf(join(dir, 'journal.jsonl')) === 'file') return livePage(dir);
  const rows = rowsIn(dir);
  if (rows.length === 0) return bare('There is neither a package nor a suite in this directory.');
  return suitePage({ rows, look: (name) => firstFailure(join(dir, name)), coverage: coverageOf(dir, rows) });
}

/** Following more runs than these would take longer than anybody waits for a page. */
const mostFollowed = 100;

function coverageOf(dir: string, rows: readonly SuiteRow[]): Coverage | undefined {
  const ended = rows.filter(({ summary }) => summary);
  if (ended.length === 0 || ended.length > mostFollowed) return undefined;
  const coverage = new SuiteCoverage();
  for (const { name } of ended) {
    const { trace = [], recipe } = readPackage(join(dir, name));
    const review = openReview(recipe);
    for (const entry of trace) review.see(entry);
    coverage.see(name, review.way());
    coverage.declare(recipe);
  }
  return coverage.told();
}

/** The tries of a recipe, if the path asks for them. */
export function comparePageAt(dir: string, path: string): string | undefined {
  const [, name] = /^\.attempts\/(.+)\/compare\/index\.html$/.exec(path) ?? [];
  return name === undefined || insideOf(dir, name) === undefined ? undefined : attemptsPage(dir, name, triesOf(dir, name));
}

function packagePage(dir: string): string {
  const { summary, trace = [], manifest, recipe, findings } = readPackage(dir);
  if (!summary) return bare(findings[0]?.message ?? 'There is no summary.');
  return reviewPage({ summary, trace, artifacts: manifest?.artifacts ?? [], recipe, doubt: doubtOf(dir, summary) });
}

type Listed = { id: string; flaky?: unknown; detail?: unknown };

/** As the index of the suite lists them; while it is not written yet, as they lie there. */
function rowsIn(dir: string): SuiteRow[] {
  const { resolutions } = (jsonAt(join(dir, 'suite.json')) ?? {}) as { resolutions?: unknown };
  const listed = Array.isArray(resolutions) ? resolutions.filter((one): one is Listed => typeof one?.id === 'string') : [];
  const found = listed.length > 0 ? listed : namesBelow(dir).map((id): Listed => ({ id }));
  return found.flatMap(({ id, flaky, detail }) => {
    const place = insideOf(dir, id);
    if (place === undefined) return [];
    const summary =
      kindOf(join(place, 'summary.json')) === 'file' ? readPart<SummaryJson>(place, 'summary.json', [])?.value : undefined;
    const said =
      typeof detail === 'string' ? { detail } : kindOf(place) === 'directory' ? { detail: 'It is still running.' } : {};
    return [{ name: id, summary, isFlaky: flaky === true, earlier: triesOf(dir, id), ...said }];
  });
}

function namesBelow(dir: string): string[] {
  const files = listTree(dir).filter(({ kind, path }) => kind === 'file' && !path.startsWith('.'));
  const names = files.flatMap(({ path }) => /^(.+)\/(summary\.json|journal\.jsonl)$/.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}

function bare(words: string): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No review</title><meta name="color-scheme" content="light dark"></head><body><main><h1>No review</h1><p>${words}</p></main></body></html>`
    .text;
}
