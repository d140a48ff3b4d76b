// Renders review.html: the claims of a run, their verdicts and their evidence. The same package always gives the same page.

import type { SummaryJson } from '../../evidence/models/summaryModel.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import type { TrustProblem } from '../../evidence/readPackage.js';
import { describeCommit } from '../../evidence/workTreeState.js';
import { formatDuration } from '../formatDuration.js';
import { anchor, type Html, href, html, raw } from '../html.js';
import { assertionList } from './assertionList.js';
import { describeStatus } from './describeStatus.js';
import { formatInlineValue } from './formatValue.js';
import { createGraphPart, type RunGraph } from './graphSection.js';
import { type ArtifactEntry, claimsOf, fileLink, hasHud, isPicture, isVideo, pictureFigures } from './media.js';
import { pageFrame } from './pageFrame.js';
import { reviewPageScript } from './pageScripts.js';
import { type Assertion, TimelineEntries, timelineSection } from './timelineSection.js';

export type ReviewFacts = {
  /** The summary without its field `package`, which has a digest of all files, this page included. */
  summary: SummaryJson;
  artifacts: readonly ArtifactEntry[];
  /** The reason why the content of the page cannot be trusted. */
  trustProblem?: TrustProblem | undefined;
  /** The number of earlier attempts, according to the journal. */
  attempt?: number | undefined;
  /** Which of the tries this is, and the page that compares all of them. Only known when a server renders the page for a suite. */
  tries?: { number: number; total: number; comparePath: string } | undefined;
};

/** Receives the entries of a trace one by one, and keeps only what the page shows. */
export type Review = {
  addEntry(entry: TraceEntryJson): void;
  renderPage(facts: ReviewFacts): string;
  /** Undefined when the recipe cannot be drawn. */
  runGraph(): RunGraph | undefined;
};

export function openReview(recipe: unknown): Review {
  const entries = new TimelineEntries();
  const graph = createGraphPart(recipe);
  return {
    addEntry(entry) {
      entries.add(entry);
      graph.taken?.add(entry);
    },
    renderPage: (facts) => renderDocument(facts, entries, graph.section()),
    runGraph: graph.runGraph,
  };
}

/** Renders the page from a whole trace. */
export function reviewPage({
  recipe,
  trace,
  ...facts
}: ReviewFacts & { recipe: unknown; trace: Iterable<TraceEntryJson> }): string {
  const review = openReview(recipe);
  for (const entry of trace) review.addEntry(entry);
  return review.renderPage(facts);
}

function renderDocument({ summary, artifacts, ...otherFacts }: ReviewFacts, entries: TimelineEntries, graph: Html): string {
  const title = summary.recipe?.title ?? summary.recipe?.id ?? 'Recipe run';
  const word = otherFacts.trustProblem?.isBroken ? 'Not intact' : describeStatus(summary.status).word;
  const byPath = new Map(artifacts.map((artifact) => [artifact.path, artifact]));
  const main = [
    firstFailureSection(entries),
    claimsSection(summary.proof ?? [], entries, artifacts),
    graph,
    pictureSection(artifacts),
    issuesSection(summary),
    timelineSection(entries, byPath),
    provenanceSection(summary, artifacts),
  ];
  return pageFrame({
    title: `${word}: ${title}`,
    header: pageHeader({ summary, ...otherFacts }, title),
    main,
    script: reviewPageScript,
  });
}

function trustBanner({ isBroken, why }: TrustProblem): Html {
  if (!isBroken) return html`<p class="note" role="note">Not verified: ${why}.</p>`;
  return html`<p class="error" role="alert"><strong>✗ Not intact.</strong> This package is not as its run wrote it, so do not trust anything below: ${why}</p>`;
}

function triesNote({ tries, attempt = 0 }: Pick<ReviewFacts, 'tries' | 'attempt'>): Html | undefined {
  if (!tries && attempt === 0) return undefined;
  if (!tries)
    return html`<p class="note">This is try ${attempt + 1}. The page of the suite links to a comparison of all tries.</p>`;
  const { number, total, comparePath } = tries;
  return html`<p class="note">This is try ${number} of ${total}. <a href="${raw(href(comparePath))}">Compare all tries</a></p>`;
}

function pageHeader({ summary, trustProblem, ...tryFacts }: Omit<ReviewFacts, 'artifacts'>, title: string): Html {
  const { sign, word, tone } = describeStatus(summary.status);
  const { proof = [], passed, failed, startedAt, durationMs, host, cause_class, recipe } = summary;
  const proven = proof.filter(({ status }) => status === 'proven').length;
  const [firstLine, ...otherLines] = (summary.reason ?? summary.error ?? 'No reason was recorded.').split('\n');
  const facts: [string, string | undefined][] = [
    ['Claims proven', proof.length > 0 ? `${proven} of ${proof.length}` : undefined],
    ['Nodes', `${passed} passed, ${failed} failed`],
    ['Started', startedAt],
    ['Duration', durationMs === undefined ? undefined : formatDuration(durationMs)],
    ['Cause', cause_class],
    ['Host', host && `${host.name} ${host.version}`],
    ['Commit', describeCommit(summary)],
  ];
  const links = ['Claims', 'Graph', 'Timeline', 'Provenance'].map(
    (name) => html`<li><a href="#${name.toLowerCase()}">${name}</a></li>`,
  );
  return html`<header>${trustProblem && trustBanner(trustProblem)}${triesNote(tryFacts)}<p class="eyebrow">Evidence review${recipe ? ` · ${recipe.id}` : ''}</p><h1>${title}</h1>
<div class="verdict ${tone}"><span class="badge ${tone}">${sign} ${word}</span><p>${firstLine}</p></div>${otherLines.length > 0 && html`<details class="rest"><summary>Full message</summary><pre tabindex="0">${otherLines.join('\n')}</pre></details>`}
<dl class="facts">${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<nav aria-label="Parts of this page"><ul>${links}</ul></nav></header>`;
}

function firstFailureSection({ firstFailure }: TimelineEntries): Html | undefined {
  if (!firstFailure) return undefined;
  const { entry, nodeId } = firstFailure;
  const failedAssertions = (entry.asserts ?? []).filter(({ held }) => !held);
  return html`<section id="failure" aria-labelledby="failure-h"><h2 id="failure-h">First failure</h2><p><strong>${entry.intent ?? nodeId}</strong> <span class="dim">${nodeId} · ${entry.action}</span></p><p class="error">${entry.error ?? 'No error message was recorded.'}</p>${failedAssertions.length > 0 && assertionList(failedAssertions)}<p><a href="#${raw(anchor('n', nodeId))}">See it in the timeline</a></p></section>`;
}

const maxPictures = 200;

function pictureSection(artifacts: readonly ArtifactEntry[]): Html | undefined {
  const media = artifacts.filter((artifact) => isPicture(artifact) || isVideo(artifact)).slice(0, maxPictures);
  if (media.length === 0) return undefined;
  return html`<section id="pictures" aria-labelledby="pictures-h"><h2 id="pictures-h">Pictures and videos</h2>${hasHud(media) && html`<p class="tools"><label><input type="checkbox" id="hud"> Show the HUD, here and above</label></p>`}<div class="gallery">${pictureFigures(media)}</div></section>`;
}

function issuesSection({ issues = [], more_issues = 0 }: SummaryJson): Html | undefined {
  if (issues.length === 0) return undefined;
  const rows = issues.map(
    ({ level, source, nodeId, message, disposition }) =>
      html`<tr><th scope="row"><a href="#${raw(anchor('n', nodeId))}">${nodeId}</a></th><td>${disposition}</td><td>${level} from ${source}</td><td>${message}</td></tr>`,
  );
  return html`<section id="issues" aria-labelledby="issues-h"><h2 id="issues-h">Issues</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="issues-h"><table><thead><tr><th scope="col">Node</th><th scope="col">Counts as</th><th scope="col">Kind</th><th scope="col">Message</th></tr></thead><tbody>${rows}</tbody></table></div>${more_issues > 0 && html`<p class="note">${more_issues} more issues are not listed.</p>`}</section>`;
}

type Proof = NonNullable<SummaryJson['proof']>[number];

const maxItemsPerClaim = 10;

function claimsSection(proof: readonly Proof[], { assertions }: TimelineEntries, artifacts: readonly ArtifactEntry[]): Html {
  if (proof.length === 0)
    return html`<section id="claims" aria-labelledby="claims-h"><h2 id="claims-h">Claims</h2><p>The recipe makes no claim, so it is a smoke test.</p></section>`;
  const rows = proof.map((claim) =>
    claimRow(
      claim,
      assertions.get(claim.id) ?? [],
      artifacts.filter((artifact) => claimsOf(artifact).includes(claim.id)),
    ),
  );
  return html`<section id="claims" aria-labelledby="claims-h"><h2 id="claims-h">Claims</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="claims-h"><table><thead><tr><th scope="col">Claim</th><th scope="col">Verdict</th><th scope="col">Assertions</th><th scope="col">Evidence</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function claimRow(
  { id, claim, status, reason }: Proof,
  assertions: readonly Assertion[],
  artifacts: readonly ArtifactEntry[],
): Html {
  const { sign, word, tone } = describeStatus(status);
  const media = artifacts.filter((artifact) => isPicture(artifact) || isVideo(artifact));
  const others = artifacts.filter((artifact) => !media.includes(artifact));
  const [listedMedia, listedFiles] = [media.slice(0, 2 * maxItemsPerClaim), others.slice(0, maxItemsPerClaim)];
  return html`<tr id="${raw(anchor('claim', id))}"><th scope="row"><a class="tag" href="#${raw(anchor('claim', id))}">◆ ${id}</a> ${claim}</th>
<td><span class="badge ${tone}">${sign} ${word}</span>${reason ? html`<p class="dim">${reason}</p>` : ''}</td>
<td>${claimAssertions(assertions)}</td>
<td>${pictureFigures(listedMedia)}${listedFiles.map(({ path }) => html`<p>${fileLink(path)}</p>`)}${moreNote(artifacts.length - listedMedia.length - listedFiles.length)}${artifacts.length === 0 ? html`<span class="dim">none</span>` : ''}</td></tr>`;
}

function claimAssertions(assertions: readonly Assertion[]): Html {
  if (assertions.length === 0) return html`<span class="dim">none evaluated</span>`;
  const failedFirst = [...assertions.filter(({ held }) => !held), ...assertions.filter(({ held }) => held)];
  const byNode = new Map<string, Assertion[]>();
  for (const assertion of failedFirst.slice(0, maxItemsPerClaim))
    byNode.set(assertion.nodeId, [...(byNode.get(assertion.nodeId) ?? []), assertion]);
  const groups = [...byNode].map(
    ([nodeId, fromNode]) =>
      html`<div class="from"><a href="#${raw(anchor('n', nodeId))}">${nodeId}</a>${assertionList(fromNode)}</div>`,
  );
  return html`${groups}${moreNote(assertions.length - maxItemsPerClaim)}`;
}

function moreNote(count: number): Html | undefined {
  return count > 0 ? html`<p class="dim">and ${count} more, in the timeline</p>` : undefined;
}

const maxFiles = 1_000;

function provenanceSection(summary: SummaryJson, artifacts: readonly ArtifactEntry[]): Html {
  const files = artifacts.slice(0, maxFiles).map(fileRow);
  const moreFiles =
    artifacts.length > maxFiles
      ? html`<p class="note">${artifacts.length - maxFiles} more files are in ${fileLink('artifact-manifest.json')}.</p>`
      : '';
  return html`<section id="provenance" aria-labelledby="provenance-h"><h2 id="provenance-h">Provenance and digests</h2>
<dl class="facts">${provenanceFacts(summary).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p>Run <code>recipewright verify</code> with the directory of this page to check that the files are as the run wrote them. The digest of the whole package is in ${fileLink('summary.json')}.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Files of the package"><table><thead><tr><th scope="col">File</th><th scope="col">Description</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead><tbody>${files}</tbody></table></div>${moreFiles}</section>`;
}

function provenanceFacts(summary: SummaryJson): [string, string][] {
  const { run, recipe, tree_digest, host, harness, runner, inputs = {} } = summary;
  const nameAndVersion = (part: { name?: string | undefined; version?: string | undefined } | undefined): string =>
    [part?.name, part?.version].filter(Boolean).join(' ');
  const facts: [string, string | undefined][] = [
    ['Recipe', recipe?.id],
    ['Recipe digest', recipe?.digest],
    ['Run', run],
    ['Commit', describeCommit(summary)],
    ['Tree digest', tree_digest],
    ['Host', nameAndVersion(host)],
    ['Written by', nameAndVersion(harness)],
    ['Runner', runner && `${nameAndVersion(runner)} ${runner.source} ${runner.git_ref}`.trim()],
    ...Object.entries(inputs).map(([name, { value, origin }]): [string, string] => [
      `Input ${name}`,
      `${formatInlineValue(value)} (${origin})`,
    ]),
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
}

function fileRow({ path, label, type, size, sha256 }: ArtifactEntry): Html {
  return html`<tr><th scope="row">${fileLink(path)}</th><td>${label ?? type}</td><td class="number">${size ?? ''}</td><td><code class="digest">${sha256 ?? 'not recorded'}</code></td></tr>`;
}
