// review.html: one page that says what a run claims, whether it holds, and what that rests on. A pure function of recipe and journal.

import { commitText } from '../../evidence/commitText.js';
import type { Doubt } from '../../evidence/doubt.js';
import type { SummaryJson } from '../../evidence/models/summary.js';
import type { TraceEntryJson } from '../../evidence/models/trace.js';
import { duration } from '../graph/boxText.js';
import { type Html, html, raw } from '../html.js';
import { anchor, href } from '../markup.js';
import { assertionList } from './assertionList.js';
import { claimsSection } from './claimsSection.js';
import { Entries } from './gatherEntries.js';
import { graphPart, type Way } from './graphSection.js';
import { type ArtifactEntry, isPicture, isVideo } from './media.js';
import { pageFrame } from './pageFrame.js';
import { pageScript } from './pageScript.js';

import { hasHud, pictures } from './pictures.js';
import { provenanceSection } from './provenanceSection.js';
import { timelineSection } from './timelineSection.js';
import { sayStatus } from './words.js';

export type ReviewFacts = {
  /** Without `package`, which pins this very page among the other files. */
  summary: SummaryJson;
  artifacts: readonly ArtifactEntry[];
  /** Why the rest of the page may not be true. */
  doubt?: Doubt | undefined;
  /** How often it was tried before, as far as its journal tells. */
  attempt?: number | undefined;
  /** Which try it is, and where all of them are side by side: only who serves the pages knows. */
  tries?: { number: number; of: number; compare: string } | undefined;
};

/** Sees the entries of a trace one by one; keeps no more than the page shows. */
export type Review = {
  see(entry: TraceEntryJson): void;
  page(facts: ReviewFacts): string;
  /** The boards of the recipe and the way that was taken on them; undefined when they cannot be drawn. */
  way(): Way | undefined;
};

export function openReview(recipe: unknown): Review {
  const entries = new Entries();
  const graph = graphPart(recipe);
  return {
    see(entry) {
      entries.see(entry);
      graph.taken?.see(entry);
    },
    page: (facts) => document(facts, entries, graph.section()),
    way: graph.way,
  };
}

/** The same for a package that is in memory. */
export function reviewPage({
  recipe,
  trace,
  ...facts
}: ReviewFacts & { recipe: unknown; trace: Iterable<TraceEntryJson> }): string {
  const review = openReview(recipe);
  for (const entry of trace) review.see(entry);
  return review.page(facts);
}

function document({ summary, artifacts, ...told }: ReviewFacts, entries: Entries, graph: Html): string {
  const title = summary.recipe?.title ?? summary.recipe?.id ?? 'Recipe run';
  const word = told.doubt?.isBroken ? 'Not intact' : sayStatus(summary.status).word;
  const byPath = new Map(artifacts.map((artifact) => [artifact.path, artifact]));
  const main = [
    ...[firstFailure(entries), claimsSection(summary.proof ?? [], entries, artifacts), graph, gallery(artifacts)],
    ...[issuesSection(summary), timelineSection(entries, byPath), provenanceSection(summary, artifacts)],
  ];
  return pageFrame({
    title: `${word}: ${title}`,
    header: head({ summary, ...told }, title),
    main,
    script: pageScript,
  });
}

function doubtBanner({ isBroken, why }: Doubt): Html {
  if (!isBroken) return html`<p class="note" role="note">Not verified: ${why}.</p>`;
  return html`<p class="error" role="alert"><strong>✗ Not intact.</strong> This package is not what a run left, and nothing below may be believed: ${why}</p>`;
}

function triesNote({ tries, attempt = 0 }: Pick<ReviewFacts, 'tries' | 'attempt'>): Html | undefined {
  if (!tries && attempt === 0) return undefined;
  if (!tries)
    return html`<p class="note">This is try ${attempt + 1}. The page of the suite leads to all of them, side by side.</p>`;
  const { number, of, compare } = tries;
  return html`<p class="note">This is try ${number} of ${of}. <a href="${raw(href(compare))}">See all tries side by side</a></p>`;
}

function head({ summary, doubt, ...tried }: Omit<ReviewFacts, 'artifacts'>, title: string): Html {
  const { sign, word, tone } = sayStatus(summary.status);
  const { proof = [], passed, failed, startedAt, durationMs, host, cause_class, recipe } = summary;
  const proven = proof.filter(({ status }) => status === 'proven').length;
  const [why, ...rest] = (summary.reason ?? summary.error ?? 'No reason was recorded.').split('\n');
  const facts: [string, string | undefined][] = [
    ['Claims proven', proof.length > 0 ? `${proven} of ${proof.length}` : undefined],
    ['Nodes', `${passed} passed, ${failed} failed`],
    ['Started', startedAt],
    ['Took', durationMs === undefined ? undefined : duration(durationMs)],
    ['Cause', cause_class],
    ['Host', host && `${host.name} ${host.version}`],
    ['Commit', commitText(summary)],
  ];
  const links = ['Claims', 'Graph', 'Timeline', 'Provenance'].map(
    (name) => html`<li><a href="#${name.toLowerCase()}">${name}</a></li>`,
  );
  return html`<header>${doubt && doubtBanner(doubt)}${triesNote(tried)}<p class="eyebrow">Evidence review${recipe ? ` · ${recipe.id}` : ''}</p><h1>${title}</h1>
<div class="verdict ${tone}"><span class="badge ${tone}">${sign} ${word}</span><p>${why}</p></div>${rest.length > 0 && html`<details class="rest"><summary>All that was said about it</summary><pre tabindex="0">${rest.join('\n')}</pre></details>`}
<dl class="facts">${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<nav aria-label="Parts of this page"><ul>${links}</ul></nav></header>`;
}

function firstFailure({ firstFailed }: Entries): Html | undefined {
  if (!firstFailed) return undefined;
  const { entry, nodeId } = firstFailed;
  const broken = (entry.asserts ?? []).filter(({ held }) => !held);
  return html`<section id="failure" aria-labelledby="failure-h"><h2 id="failure-h">First failure</h2><p><strong>${entry.intent ?? nodeId}</strong> <span class="dim">${nodeId} · ${entry.action}</span></p><p class="error">${entry.error ?? 'It failed without a word.'}</p>${broken.length > 0 && assertionList(broken)}<p><a href="#${raw(anchor('n', nodeId))}">See it in the timeline</a></p></section>`;
}

const mostPictures = 200;

function gallery(artifacts: readonly ArtifactEntry[]): Html | undefined {
  const media = artifacts.filter((artifact) => isPicture(artifact) || isVideo(artifact)).slice(0, mostPictures);
  if (media.length === 0) return undefined;
  return html`<section id="pictures" aria-labelledby="pictures-h"><h2 id="pictures-h">Pictures and videos</h2>${hasHud(media) && html`<p class="tools"><label><input type="checkbox" id="hud"> Show the HUD, here and above</label></p>`}<div class="gallery">${pictures(media)}</div></section>`;
}

function issuesSection({ issues = [], more_issues = 0 }: SummaryJson): Html | undefined {
  if (issues.length === 0) return undefined;
  const rows = issues.map(
    ({ level, source, nodeId, message, disposition }) =>
      html`<tr><th scope="row"><a href="#${raw(anchor('n', nodeId))}">${nodeId}</a></th><td>${disposition}</td><td>${level} from ${source}</td><td>${message}</td></tr>`,
  );
  return html`<section id="issues" aria-labelledby="issues-h"><h2 id="issues-h">Issues</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="issues-h"><table><thead><tr><th scope="col">Node</th><th scope="col">Counts as</th><th scope="col">Kind</th><th scope="col">Message</th></tr></thead><tbody>${rows}</tbody></table></div>${more_issues > 0 && html`<p class="note">${more_issues} more issues are not listed.</p>`}</section>`;
}
