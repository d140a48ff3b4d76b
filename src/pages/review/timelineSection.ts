// What ran, in order: one line each, everything else on request.
import { duration } from '../graph/boxText.js';
import { isRunning } from '../graph/pathTaken.js';
import { type Html, html, raw } from '../html.js';
import { anchor } from '../markup.js';
import { assertionList } from './assertionList.js';
import type { Entries, Kept } from './gatherEntries.js';
import { type ArtifactEntry, fileLink, isPicture, isVideo } from './media.js';
import { pictures } from './pictures.js';

export type ArtifactsByPath = ReadonlyMap<string, ArtifactEntry>;

export function timelineSection({ roots, total, kept }: Entries, artifacts: ArtifactsByPath): Html {
  const left =
    total > kept
      ? html`<p class="note">${total - kept} more entries are in ${fileLink('trace.json')}: this page shows the first 2,000 and what failed.</p>`
      : '';
  return html`<section id="timeline" aria-labelledby="timeline-h"><h2 id="timeline-h">Timeline</h2>
<div class="tools" role="search" aria-label="Timeline"><label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Show <select id="show"><option value="all">everything</option><option value="bad">failures</option><option value="asserts">assertions</option><option value="media">pictures and files</option></select></label>
<button type="button" id="next-failure">Next failure</button><button type="button" id="open-all">Open all</button><output id="found" aria-live="polite">${kept} entries</output></div>
${left}<div class="line" role="list">${roots.map((root) => item(root, artifacts))}</div></section>`;
}

type Outcome = { sign: string; word: string; tone: string };

function outcomeOf({ entry, isSkipped }: Kept): Outcome {
  if (isRunning(entry)) return { sign: '…', word: 'is running', tone: 'open' };
  if (entry.unfinished) return { sign: '?', word: 'did not finish', tone: 'open' };
  if (!entry.ok) return { sign: '✗', word: 'failed', tone: 'bad' };
  if (entry.tolerated) return { sign: '!', word: 'failed, tolerated', tone: 'open' };
  return isSkipped ? { sign: '–', word: 'skipped', tone: 'quiet' } : { sign: '✓', word: 'passed', tone: 'good' };
}

// No list items of HTML: Chromium numbers all of a list anew for each one that a search hides.
function item(kept: Kept, artifacts: ArtifactsByPath): Html {
  const { entry, nodeId, children } = kept;
  const { sign, word, tone } = outcomeOf(kept);
  const files = filesOf(kept);
  const marks = [tone === 'bad' && 'bad', entry.asserts?.length && 'asserts', files.length > 0 && 'media']
    .filter(Boolean)
    .join(' ');
  const claims = entry.proves ?? (entry.proofTarget === undefined ? [] : [entry.proofTarget]);
  return html`<div class="entry" role="listitem" id="${raw(anchor('n', nodeId))}" data-is="${marks}"><details${!entry.ok && raw(' open')}><summary><span class="sign ${tone}">${sign}<span class="sr"> ${word}:</span></span><span class="what">${entry.intent ?? nodeId}</span><span class="who">${nodeId} · ${entry.action}</span>${claims.map((id) => html`<span class="tag">◆ ${id}</span>`)}<span class="ms">${duration(entry.durationMs ?? 0)}</span></summary><div class="body">${bodyOf(kept, artifacts)}</div></details>${children.length > 0 && html`<div class="line" role="list">${children.map((child) => item(child, artifacts))}</div>`}</div>`;
}

function filesOf({ entry }: Kept): string[] {
  return (entry.artifacts ?? []).map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path));
}

function bodyOf(kept: Kept, artifacts: ArtifactsByPath): Html {
  const { entry, outputs, attempts } = kept;
  const failure = entry.error ?? entry.tolerated?.error;
  const files = filesOf(kept).map((path) => artifacts.get(path) ?? path);
  const media = files.filter((file) => typeof file !== 'string' && (isPicture(file) || isVideo(file))) as ArtifactEntry[];
  const others = files.filter((file) => typeof file === 'string' || !media.includes(file));
  return html`${failure && html`<p class="error">${failure}${causeOf(kept)}</p>`}
${entry.asserts?.length ? assertionList(entry.asserts) : ''}
${pictures(media)}${others.length > 0 && html`<p>Files: ${others.map(fileWords)}</p>`}
${outputs.map(({ name, text }) => html`<h3>${name}</h3><pre tabindex="0">${text}</pre>`)}
${(entry.issues ?? []).map(({ level, source, message }) => html`<p class="issue">${level} from ${source}: ${message}</p>`)}
${attempts.map((attempt, index) => html`<div class="attempt"><h3>Try ${index + 1}, before this one</h3>${bodyOf(attempt, artifacts)}</div>`)}
<p class="dim">${[entry.phase, entry.startedAt, entry.next && `goes on at ${entry.next}`].filter(Boolean).join(' · ')}</p>`;
}

// What was taken out again, or never came, is named and not linked.
function fileWords(file: ArtifactEntry | string): Html {
  return typeof file === 'string' ? html`<code>${file}</code> (not in the package) ` : html`${fileLink(file.path)} `;
}

function causeOf({ entry }: Kept): Html | string {
  const cause = entry.cause_class ?? entry.tolerated?.cause_class;
  return cause ? html` <span class="dim">(cause: ${cause})</span>` : '';
}
