// Renders index.html, the page of a suite: its recipes, the worst first, their claims, and links to the evidence.
import { omitUndefined } from '../../document/omitUndefined.js';
import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import type { FirstFailure, TrustProblem } from '../../evidence/readPackage.js';
import {
  type Coverage,
  type DeclaredClaim,
  listClaims,
  neverBeganText,
  outcomeOf,
  type SuiteRun,
  stillRunningText,
  suiteTitle,
  summarizeCoverage,
} from '../../evidence/suite.js';
import { describeSuiteOrigin, findSuiteOrigin, type SuiteOrigin } from '../../evidence/suiteOrigin.js';
import { defaultRerunCommand } from '../../evidence/suiteTable.js';
import { formatDuration } from '../../pages/formatDuration.js';
import { type Html, href, html, raw } from '../../pages/html.js';
import { assertionList } from '../../pages/review/assertionList.js';
import { describeStatus, type StatusLabel } from '../../pages/review/describeStatus.js';
import { fileLink } from '../../pages/review/media.js';
import { pageFrame } from '../../pages/review/pageFrame.js';

export type SuiteRow = {
  name: string;
  summary?: SummaryJson | undefined;
  detail?: string | undefined;
  skipped?: boolean | undefined;
  notRun?: boolean | undefined;
  /** The declared claims of a recipe without a summary. */
  claims?: readonly DeclaredClaim[] | undefined;
  isFlaky?: boolean | undefined;
  /** The reason why the summary cannot be trusted. */
  trustProblem?: TrustProblem | undefined;
  isRunning?: boolean | undefined;
  /** The number of earlier tries. */
  earlier?: number | undefined;
  /** The command that runs this recipe again. */
  again?: string | undefined;
};

type SuiteFacts = {
  rows: readonly SuiteRow[];
  coverage?: Coverage | undefined;
  /** Reads the first failure of the package `name`. */
  findFailure(name: string): FirstFailure | undefined;
  /** The reasons why the suite as a whole cannot be trusted. */
  trustProblems?: readonly string[];
} & SuiteRun;

export function suitePage({
  rows,
  coverage,
  findFailure,
  state = 'finished',
  selection = [],
  problems = [],
  notes = [],
  trustProblems = [],
  startedAt,
}: SuiteFacts): string {
  const sorted = [...rows].sort((a, b) => severityRank(b) - severityRank(a));
  const passed = rows.filter(({ summary, trustProblem }) => summary?.status === 'pass' && !trustProblem).length;
  const finished = rows.filter(({ summary }) => summary).length;
  const notRun = rows.filter((row) => outcomeOf(row) === 'not_run').length;
  const totals = { declared: rows.length, executed: finished, passed, not_run: notRun };
  const title = suiteTitle({ state, selection, totals, problems }, ' recipes');
  const origin = {
    ...omitUndefined({ started_at: startedAt }),
    ...findSuiteOrigin(rows.flatMap(({ summary }) => summary ?? [])),
  };
  const main = [
    recipesSection(sorted),
    ...sorted.map((row) => failureSection(row, findFailure)),
    claimsSection(sorted),
    coverage && coverageSection(coverage),
  ];
  return pageFrame({
    title,
    header: pageHeader(title, {
      rows,
      passed,
      notRun,
      problems,
      notes,
      trustProblems,
      origin,
      isRunning: state === 'running',
      hasCoverage: coverage !== undefined,
    }),
    main,
    script: suiteScript,
  });
}

function severityRank(row: SuiteRow): number {
  const { summary, isFlaky, trustProblem } = row;
  if (trustProblem?.isBroken) return 3;
  if (!summary) return outcomeOf(row) === 'unknown' ? 2 : 0;
  if (summary.status === 'pass') return trustProblem ? 2 : isFlaky ? 1 : 0;
  return summary.status === 'fail' ? 3 : 2;
}

type SuiteHeaderFacts = {
  rows: readonly SuiteRow[];
  passed: number;
  notRun: number;
  isRunning: boolean;
  hasCoverage: boolean;
  problems: readonly string[];
  notes: readonly string[];
  trustProblems: readonly string[];
  origin: SuiteOrigin;
};

function pageHeader(
  title: string,
  { rows, passed, notRun, isRunning, hasCoverage, problems, notes, trustProblems, origin }: SuiteHeaderFacts,
): Html {
  const claims = claimsIn(rows);
  const count = (status: string): number => claims.filter((claim) => claim.status === status).length;
  const broken = rows.filter(({ trustProblem }) => trustProblem?.isBroken).length;
  const unverified = rows.filter(({ trustProblem }) => trustProblem && !trustProblem.isBroken).length;
  // A suite without a passed recipe is unknown at best, and so is one that is still running.
  const worst = Math.max(
    trustProblems.length > 0 ? 3 : 0,
    passed === 0 || isRunning || problems.length > 0 ? 2 : 0,
    ...rows.map(severityRank),
  );
  const { sign, word, tone } =
    worst > 1 ? describeStatus(worst === 3 ? 'fail' : 'unknown') : notRun > 0 ? partlyRunLabel : describeStatus('pass');
  const claimsText =
    claims.length === 0
      ? 'No recipe makes a claim.'
      : `${count('proven')} of ${claims.length} claims are proven, ${count('refuted')} refuted, ${count('unproven')} unproven, ${count('blocked')} blocked${count('not run') > 0 ? `, ${count('not run')} not run` : ''}.`;
  const links = ['Recipes', 'Claims', ...(hasCoverage ? ['Coverage'] : [])].map(
    (name) => html`<li><a href="#${name.toLowerCase()}">${name}</a></li>`,
  );
  const alert =
    broken > 0 &&
    html`<p class="error" role="alert"><strong>✗ Not intact.</strong> ${broken} of the packages ${broken === 1 ? 'is not as its run wrote it and does' : 'are not as their runs wrote them and do'} not count here.</p>`;
  return html`<header>${trustProblems.map((why) => html`<p class="error" role="alert"><strong>✗ Not intact.</strong> ${why}</p>`)}${alert}${problems.map((problem) => html`<p class="error" role="alert">${problem}</p>`)}<p class="eyebrow">Evidence of a suite</p><h1>${title}</h1>${describeSuiteOrigin(origin).map((line) => html`<p class="eyebrow">${line}</p>`)}
<div class="verdict ${tone}"><span class="badge ${tone}">${sign} ${word}</span><p>${isRunning && `${stillRunningText} `}${claimsText}${unverified > 0 && html` ${unverified} of the packages ${unverified === 1 ? 'is not verified and does' : 'are not verified and do'} not count here.`}</p></div>${notes.map(
    (note) => html`
<p>${note}</p>`,
  )}
<nav aria-label="Parts of this page"><ul>${links}</ul></nav></header>`;
}

function recipesSection(rows: readonly SuiteRow[]): Html {
  return html`<section id="recipes" aria-labelledby="recipes-h"><h2 id="recipes-h">Recipes</h2>
<div class="tools" role="search" aria-label="Recipes"><label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Show <select id="show"><option value="all">everything</option><option value="bad">not passed</option><option value="flaky">flaky</option></select></label><output id="found" aria-live="polite">${rows.length} recipes</output></div>
<div class="scroll" tabindex="0" role="group" aria-labelledby="recipes-h"><table><thead><tr><th scope="col">Recipe</th><th scope="col">Verdict</th><th scope="col">Claims</th><th scope="col">Duration</th><th scope="col">Reason</th></tr></thead><tbody>${rows.map(recipeRow)}</tbody></table></div></section>`;
}

function recipeRow(row: SuiteRow): Html {
  const { name, summary, isFlaky, isRunning } = row;
  const { sign, word, tone } = verdictLabel(row);
  const marks = [severityRank(row) > 1 && 'bad', isFlaky && 'flaky'].filter(Boolean).join(' ');
  const title = summary?.recipe?.title;
  const nameCell = summary || isRunning ? html`<a href="${raw(href(name))}/review.html">${title ?? name}</a>` : html`${name}`;
  const proof = claimsIn([row]).map(({ id, claim, status }) => {
    const claimLabel = describeStatus(status);
    return html`<span class="claim" title="${claim}"><span class="sign ${claimLabel.tone}">${claimLabel.sign}<span class="sr"> ${claimLabel.word}:</span></span> ${id}</span> `;
  });
  return html`<tr class="recipe" data-is="${marks}"><th scope="row">${nameCell}${title && html`<span class="path">${name}</span>`}${earlierTries(row)}</th>
<td><span class="badge ${tone}">${sign} ${word}</span>${isFlaky && html` <span class="badge open">! Flaky</span>`}</td><td>${proof}</td>
<td class="number">${summary?.durationMs === undefined ? '' : formatDuration(summary.durationMs)}</td><td>${reasonCell(row)}</td></tr>`;
}

/** The label of a suite in which every recipe that ran passed, and some recipes did not run. */
const partlyRunLabel: StatusLabel = { sign: '–', word: 'Partly run', tone: 'open' };

function verdictLabel(row: SuiteRow): StatusLabel {
  const { summary, isRunning, trustProblem } = row;
  if (trustProblem?.isBroken) return { sign: '✗', word: 'Not intact', tone: 'bad' };
  if (isRunning) return { sign: '…', word: 'Running', tone: 'open' };
  const outcome = outcomeOf(row);
  if (outcome === 'skipped') return { sign: '–', word: 'Skipped', tone: 'quiet' };
  return outcome === 'not_run' ? describeStatus('not run') : describeStatus(summary?.status ?? 'unknown');
}

function reasonCell({ summary, trustProblem, detail = neverBeganText }: SuiteRow): Html {
  if (!summary) return html`${detail}`;
  if (trustProblem?.isBroken) return html`${firstLine(trustProblem.why)}`;
  return html`${firstLine(summary.reason ?? summary.error ?? '')}${trustProblem && html`<p class="dim">Not verified: ${trustProblem.why}.</p>`}`;
}

/** Lists the claims of recipes. The claims of a package that cannot be trusted are unproven. */
function claimsIn(rows: readonly SuiteRow[]) {
  return rows.flatMap((row) =>
    listClaims(row).map((claim) => ({
      ...claim,
      hasPage: row.summary !== undefined,
      ...(row.trustProblem ? untrustedClaim(row.trustProblem) : {}),
    })),
  );
}

function untrustedClaim({ isBroken }: TrustProblem) {
  return { status: 'unproven', reason: `its package is not ${isBroken ? 'intact' : 'verified'}` } as const;
}

// The section about the failure shows the other lines.
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function earlierTries({ name, earlier = 0 }: SuiteRow): Html | undefined {
  if (earlier === 0) return undefined;
  const tries = Array.from(
    { length: earlier },
    (_, index) => html` <a href="${raw(href(`.attempts/${name}/${index}/review.html`))}">try ${index + 1}</a>`,
  );
  return html`<p class="dim">Tried ${earlier + 1} times:${tries} · <a href="${raw(href(`.attempts/${name}/compare/index.html`))}">compare</a></p>`;
}

// Further lines of an error, such as an outline of the page, can be long, so they are collapsed.
function errorSection(error: string): Html {
  const lines = error.split('\n');
  const [firstLines, rest] = [lines.slice(0, 2).join('\n'), lines.slice(2).join('\n')];
  return html`<p class="error">${firstLines}</p>${rest !== '' && html`<details class="rest"><summary>Full message</summary><pre tabindex="0">${rest}</pre></details>`}`;
}

function failureSection({ name, summary, again }: SuiteRow, findFailure: SuiteFacts['findFailure']): Html | undefined {
  if (!summary || summary.status === 'pass') return undefined;
  const failure = findFailure(name);
  const details =
    failure &&
    html`<p><strong>${failure.intent ?? failure.nodeId}</strong> <span class="dim">${failure.nodeId}</span></p>${errorSection(failure.error)}
${failure.failedAsserts.length > 0 && assertionList(failure.failedAsserts)}${failure.artifacts.map((path) => html`<p>${fileLink(`${name}/${path}`, path)}</p>`)}`;
  return html`<section aria-label="${describeStatus(summary.status).word}: ${name}"><h2>${describeStatus(summary.status).word}: ${summary.recipe?.title ?? name}</h2>${details || html`<p>${summary.reason ?? ''}</p>`}<p>Run only this recipe again: <code>${again ?? defaultRerunCommand(summary)}</code></p><p><a href="${raw(href(name))}/review.html">See all evidence</a></p></section>`;
}

function claimsSection(rows: readonly SuiteRow[]): Html {
  const tableRows = claimsIn(rows).map(({ name, id, claim, status, reason, hasPage }) => {
    const { sign, word, tone } = describeStatus(status);
    const recipe = hasPage ? html`<a href="${raw(href(name))}/review.html">${name}</a>` : html`${name}`;
    return html`<tr><th scope="row"><span class="tag">◆ ${id}</span> ${claim}</th><td><span class="badge ${tone}">${sign} ${word}</span></td><td>${recipe}</td><td>${reason ?? ''}</td></tr>`;
  });
  const body =
    tableRows.length === 0
      ? html`<p>No recipe makes a claim, so all of them are smoke tests.</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-labelledby="claims-h"><table><thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">Recipe</th><th scope="col">Reason</th></tr></thead><tbody>${tableRows}</tbody></table></div>`;
  return html`<section id="claims" aria-labelledby="claims-h"><h2 id="claims-h">Claims</h2>${body}</section>`;
}

function coverageSection(coverage: Coverage): Html {
  const parts = summarizeCoverage(coverage).map(
    ({ title, taken, all, never }) =>
      html`<div class="cover"><h3>${taken} of ${all} ${title} taken</h3><meter min="0" max="${all}" value="${taken}" aria-label="${title} taken">${taken} of ${all}</meter>${never.length > 0 && html`<details><summary>${never.length} never taken</summary><ul>${never.map((name) => html`<li>${name}</li>`)}</ul></details>`}</div>`,
  );
  const notDrawnNote =
    coverage.notDrawn > 0 &&
    html`<p class="note">${coverage.notDrawn} runs are not counted, because their recipes cannot be drawn.</p>`;
  return html`<section id="coverage" aria-labelledby="coverage-h"><h2 id="coverage-h">Paths taken by the whole suite</h2><div class="covers">${parts}</div>${notDrawnNote}</section>`;
}

/** The search and the filter of the table. Without the script, the page shows all recipes. */
const suiteScript = `
const rows = [...document.querySelectorAll('tr.recipe')];
const search = document.getElementById('search');
const show = document.getElementById('show');
const found = document.getElementById('found');
function filter() {
  const word = search.value.trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const fits = (show.value === 'all' || row.dataset.is.split(' ').includes(show.value)) && row.textContent.toLowerCase().includes(word);
    row.hidden = !fits;
    if (fits) count++;
  }
  found.textContent = count + (count === 1 ? ' recipe' : ' recipes');
}
search.addEventListener('input', filter);
show.addEventListener('change', filter);
`;
