// Renders a comparison as one HTML file. The file contains its pictures, so it can be sent to someone.
import { formatDuration } from '../../pages/formatDuration.js';
import { type Html, html, raw } from '../../pages/html.js';
import { describeStatus } from '../../pages/review/describeStatus.js';
import { pageFrame } from '../../pages/review/pageFrame.js';
import { pictureSliderScript } from '../../pages/review/pageScripts.js';
import { type ClaimChange, isBetter, isWorse } from './compareClaims.js';
import { hasChanged, type PackageComparison, type RunChange, type RunOutcome, sortByInterest } from './comparePackages.js';
import { type PictureChange, threePictures } from './comparePictures.js';
import type { TraceChanges } from './compareTraces.js';
import { headline, pictureLine } from './formatComparison.js';

/** Returns the directories of both packages of a run, or undefined when one of them is missing. */
export type FindPackagePair = (name: string) => { before: string; after: string } | undefined;

type ComparePageOptions = { title: string; comparison: PackageComparison; findPair: FindPackagePair };

export function comparePage({ title, comparison, findPair }: ComparePageOptions): string {
  const budget = { bytes: maxPictureBytes };
  const sections = sortByInterest(comparison.runs).map((run) =>
    runSection(run, (change) => pictureSection(change, findPair(run.name), budget)),
  );
  return pageFrame({
    title: `${headline(comparison)}: ${title}`,
    header: pageHeader(title, comparison),
    main: sections,
    script: pictureSliderScript,
  });
}

function pageHeader(title: string, comparison: PackageComparison): Html {
  const { sign, tone } = describeStatus(comparison.isWorse ? 'fail' : 'pass');
  const { runs, doubts = [] } = comparison;
  const changed = runs.filter(hasChanged).length;
  return html`<header>${doubts.map(({ when, why }) => html`<p class="error" role="alert"><strong>✗ Not intact, ${when}.</strong> ${why}</p>`)}<p class="eyebrow">Comparison of evidence</p><h1>${title}</h1>
<div class="verdict ${tone}"><span class="badge ${tone}">${sign} ${comparison.isWorse ? 'Worse' : 'Not worse'}</span><p>${headline(comparison).replace(/^\w+: /, '')}</p></div>
<dl class="facts"><div><dt>Runs compared</dt><dd>${runs.length}</dd></div><div><dt>Runs changed</dt><dd>${changed}</dd></div></dl></header>`;
}

function runSection(run: RunChange, picture: (change: PictureChange) => Html): Html {
  const { name, before, after, claims, trace, pictures } = run;
  const title = name === '' ? 'The run' : name;
  const body = html`<div class="two"><div><h3>Before</h3>${outcomeSection(before)}</div><div><h3>After</h3>${outcomeSection(after)}</div></div>
${claims.length > 0 && claimsTable(claims)}${pictures.length > 0 && html`<h3>Pictures</h3>${pictures.map(picture)}`}${trace && traceLists(trace)}`;
  if (hasChanged(run)) return html`<section aria-label="${title}"><h2>${title}</h2>${body}</section>`;
  return html`<section aria-label="${title}"><details><summary><h2 class="quiet-h">${title}: nothing changed</h2></summary>${body}</details></section>`;
}

function outcomeSection(outcome: RunOutcome | undefined): Html {
  if (!outcome) return html`<p class="dim">did not run</p>`;
  const { sign, word, tone } = describeStatus(outcome.status);
  const { doubt } = outcome;
  const banner =
    doubt &&
    html`<p class="${doubt.isBroken ? 'error' : 'note'}">${doubt.isBroken ? 'Not intact' : 'Not verified'}: ${doubt.why}</p>`;
  return html`${banner}<p><span class="badge ${tone}">${sign} ${word}</span> <span class="dim">${formatDuration(outcome.durationMs)}</span></p><p>${outcome.reason.split('\n', 1)}</p>`;
}

function claimsTable(claims: readonly ClaimChange[]): Html {
  const rows = claims.map((claim) => {
    const tone = isWorse(claim) ? 'bad' : isBetter(claim) ? 'good' : claim.change === 'same' ? 'quiet' : 'open';
    return html`<tr><th scope="row"><span class="tag">◆ ${claim.id}</span> ${claim.claim}</th><td>${claimBadge(claim.before)}</td><td>${claimBadge(claim.after)}</td><td class="${tone}">${claim.change}</td></tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Claims"><table><thead><tr><th scope="col">Claim</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Change</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function claimBadge(status: string | undefined): Html {
  if (status === undefined) return html`<span class="dim">not claimed</span>`;
  const { sign, word, tone } = describeStatus(status);
  return html`<span class="badge ${tone}">${sign} ${word}</span>`;
}

type TraceRow = { nodeId: string; before: string | number; after: string | number };

function traceLists({ results, onlyBefore, onlyAfter, outputs, times, more }: TraceChanges): Html {
  const formatCell = (value: string | number): string => (typeof value === 'number' ? formatDuration(value) : value);
  const table = (title: string, pairs: readonly TraceRow[]): Html | false =>
    pairs.length > 0 &&
    html`<h3>${title}</h3><div class="scroll" tabindex="0" role="group" aria-label="${title}"><table class="pairs"><thead><tr><th scope="col">Node</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${pairs.map(({ nodeId, before, after }) => html`<tr><th scope="row">${nodeId}</th><td><code>${formatCell(before)}</code></td><td><code>${formatCell(after)}</code></td></tr>`)}</tbody></table></div>`;
  const list = (title: string, ids: readonly string[]): Html | false =>
    ids.length > 0 && html`<h3>${title}</h3><p>${ids.map((id) => html`<code>${id}</code> `)}</p>`;
  return html`${table('Changed results', results)}${list('Ran only before', onlyBefore)}${list('Ran only after', onlyAfter)}${table('Changed outputs', outputs)}${table('Changed durations', times)}${more > 0 && html`<p class="note">${more} more changes are not listed.</p>`}`;
}

/** Larger pages open slowly, and some services refuse to show them. */
const maxPictureBytes = 24_000_000;

function pictureSection(change: PictureChange, pair: ReturnType<FindPackagePair>, budget: { bytes: number }): Html {
  const line = html`<p class="dim">${pictureLine(change)}</p>`;
  const three = pair && change.change === 'different' ? threePictures(pair.before, pair.after, change.path) : undefined;
  if (!three) return line;
  const { before, after, diff } = three;
  budget.bytes -= before.length + after.length + (diff?.length ?? 0);
  if (budget.bytes < 0)
    return html`${line}<p class="note">The picture is not shown, because the page would become too large.</p>`;
  const image = (png: Buffer, alt: string): Html =>
    html`<img src="data:image/png;base64,${raw(png.toString('base64'))}" alt="${alt} of ${change.path}">`;
  return html`${line}<div class="gallery"><figure class="pair"><div class="slide"><div>${image(before, 'Before')}</div><div class="later">${image(after, 'After')}</div></div><label class="range"><span>Before</span><input type="range" min="0" max="100" value="50" aria-label="How much of the picture before is visible: ${change.path}"><span>After</span></label></figure>${diff && html`<figure>${image(diff, 'Difference')}<figcaption>Marked differences</figcaption></figure>`}</div>`;
}
