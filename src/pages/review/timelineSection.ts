// Renders the timeline of the review page: one line for each entry of the trace, with its details collapsed.

import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import { formatDuration } from '../formatDuration.js';
import { isRunning } from '../graph/pathTaken.js';
import { anchor, type Html, html, raw } from '../html.js';
import { assertionList } from './assertionList.js';
import { formatValue, truncateValue } from './formatValue.js';
import { type ArtifactEntry, fileLink, isPicture, isVideo, pictureFigures } from './media.js';

type ArtifactsByPath = ReadonlyMap<string, ArtifactEntry>;

export function timelineSection({ roots, totalCount, shownCount }: TimelineEntries, artifacts: ArtifactsByPath): Html {
  const omittedNote =
    totalCount > shownCount
      ? html`<p class="note">${totalCount - shownCount} more entries are in ${fileLink('trace.json')}: this page shows the first 2,000 and the failed ones.</p>`
      : '';
  return html`<section id="timeline" aria-labelledby="timeline-h"><h2 id="timeline-h">Timeline</h2>
<div class="tools" role="search" aria-label="Timeline"><label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Show <select id="show"><option value="all">everything</option><option value="bad">failures</option><option value="asserts">assertions</option><option value="media">pictures and files</option></select></label>
<button type="button" id="next-failure">Next failure</button><button type="button" id="open-all">Open all</button><output id="found" aria-live="polite">${shownCount} entries</output></div>
${omittedNote}<div class="line" role="list">${roots.map((root) => entryItem(root, artifacts))}</div></section>`;
}

type Outcome = { sign: string; word: string; tone: string };

function outcomeOf({ entry, isSkipped }: TimelineEntry): Outcome {
  if (isRunning(entry)) return { sign: '…', word: 'is running', tone: 'open' };
  if (entry.unfinished) return { sign: '?', word: 'did not finish', tone: 'open' };
  if (!entry.ok) return { sign: '✗', word: 'failed', tone: 'bad' };
  if (entry.tolerated) return { sign: '!', word: 'failed, tolerated', tone: 'open' };
  return isSkipped ? { sign: '–', word: 'skipped', tone: 'quiet' } : { sign: '✓', word: 'passed', tone: 'good' };
}

// The items are <div> with a role instead of <li>, because Chromium renumbers a whole list for each <li> that a search hides.
function entryItem(item: TimelineEntry, artifacts: ArtifactsByPath): Html {
  const { entry, nodeId, children } = item;
  const { sign, word, tone } = outcomeOf(item);
  const files = filesOf(item);
  const marks = [tone === 'bad' && 'bad', entry.asserts?.length && 'asserts', files.length > 0 && 'media']
    .filter(Boolean)
    .join(' ');
  const claims = entry.proves ?? (entry.proofTarget === undefined ? [] : [entry.proofTarget]);
  return html`<div class="entry" role="listitem" id="${raw(anchor('n', nodeId))}" data-is="${marks}"><details${!entry.ok && raw(' open')}><summary><span class="sign ${tone}">${sign}<span class="sr"> ${word}:</span></span><span class="what">${entry.intent ?? nodeId}</span><span class="who">${nodeId} · ${entry.action}</span>${claims.map((id) => html`<span class="tag">◆ ${id}</span>`)}<span class="ms">${formatDuration(entry.durationMs ?? 0)}</span></summary><div class="body">${entryBody(item, artifacts)}</div></details>${children.length > 0 && html`<div class="line" role="list">${children.map((child) => entryItem(child, artifacts))}</div>`}</div>`;
}

function filesOf({ entry }: TimelineEntry): string[] {
  return (entry.artifacts ?? []).map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path));
}

function entryBody(item: TimelineEntry, artifacts: ArtifactsByPath): Html {
  const { entry, outputs, attempts } = item;
  const failure = entry.error ?? entry.tolerated?.error;
  const files = filesOf(item).map((path) => artifacts.get(path) ?? path);
  const media = files.filter((file) => typeof file !== 'string' && (isPicture(file) || isVideo(file))) as ArtifactEntry[];
  const others = files.filter((file) => typeof file === 'string' || !media.includes(file));
  return html`${failure && html`<p class="error">${failure}${causeOf(item)}</p>`}
${entry.asserts?.length ? assertionList(entry.asserts) : ''}
${pictureFigures(media)}${others.length > 0 && html`<p>Files: ${others.map(fileName)}</p>`}
${outputs.map(({ name, text }) => html`<h3>${name}</h3><pre tabindex="0">${text}</pre>`)}
${(entry.issues ?? []).map(({ level, source, message }) => html`<p class="issue">${level} from ${source}: ${message}</p>`)}
${attempts.map((attempt, index) => html`<div class="attempt"><h3>Earlier try ${index + 1}</h3>${entryBody(attempt, artifacts)}</div>`)}
<p class="dim">${[entry.phase, entry.startedAt, entry.next && `continues at ${entry.next}`].filter(Boolean).join(' · ')}</p>`;
}

// A file that was removed from the package, or never written, gets no link.
function fileName(file: ArtifactEntry | string): Html {
  return typeof file === 'string' ? html`<code>${file}</code> (not in the package) ` : html`${fileLink(file.path)} `;
}

function causeOf({ entry }: TimelineEntry): Html | string {
  const cause = entry.cause_class ?? entry.tolerated?.cause_class;
  return cause ? html` <span class="dim">(cause: ${cause})</span>` : '';
}

export type Assertion = { held: boolean; nodeId: string; [field: string]: unknown };

type TimelineEntry = {
  nodeId: string;
  /** The entry without its output and attempts. Those are below, in shortened form. */
  entry: TraceEntryJson;
  isSkipped: boolean;
  /** stdout and stderr of a command, and the rest of the output as JSON. */
  outputs: readonly { name: string; text: string }[];
  attempts: readonly TimelineEntry[];
  children: TimelineEntry[];
};

const maxEntries = 2_000;
const maxFailures = 200;
const maxAttempts = 10;
const maxAssertions = 50;

/** Collects the entries that a page shows: all entries of most runs, and the first ones and the failures of a very long run. */
export class TimelineEntries {
  /** The entries without a parent, in the order in which they ended. Inner nodes are among the `children` of an entry. */
  roots: TimelineEntry[] = [];
  totalCount = 0;
  shownCount = 0;
  firstFailure: TimelineEntry | undefined;
  /** The assertions of each claim, by the id of the claim. */
  readonly assertions = new Map<string, Assertion[]>();
  private failuresOverLimit = 0;
  /** The run paths of all nodes that have inner entries. They follow from the run paths of the inner entries. */
  private readonly ancestorIds = new Set<string>();

  add(entry: TraceEntryJson): void {
    this.totalCount++;
    this.collectAssertions(entry);
    const isFailure = !entry.ok;
    const hasRoom = this.shownCount < maxEntries || (isFailure && this.failuresOverLimit < maxFailures);
    if (!hasRoom) return;
    if (this.shownCount >= maxEntries) this.failuresOverLimit++;
    this.shownCount++;
    const item = toTimelineEntry(entry);
    this.insert(item);
    // Inner nodes end before their parent, so the first failure is the innermost one.
    if (isFailure) this.firstFailure ??= item;
  }

  private collectAssertions(entry: TraceEntryJson): void {
    for (const assertion of entry.asserts ?? []) {
      const { proofTarget } = assertion;
      if (typeof proofTarget !== 'string') continue;
      const list = this.assertions.get(proofTarget) ?? [];
      this.assertions.set(proofTarget, list);
      // Passed assertions never use up the room for failed ones.
      const limit = assertion.held ? maxAssertions : 2 * maxAssertions;
      if (list.length < limit) list.push({ ...truncateAssertion(assertion), nodeId: idOf(entry) });
    }
  }

  private insert(item: TimelineEntry): void {
    const { nodeId } = item;
    if (this.ancestorIds.has(nodeId)) {
      const isChild = (root: TimelineEntry): boolean =>
        root.nodeId.startsWith(nodeId) && '/@'.includes(root.nodeId[nodeId.length] ?? ' ');
      item.children.push(...this.roots.filter(isChild));
      this.roots = this.roots.filter((root) => !isChild(root));
    }
    this.roots.push(item);
    for (const { index } of nodeId.matchAll(/[/@]/g)) this.ancestorIds.add(nodeId.slice(0, index));
  }
}

function idOf({ nodeId, id }: Pick<TraceEntryJson, 'nodeId' | 'id'>): string {
  return nodeId ?? id ?? '';
}

type AssertionJson = NonNullable<TraceEntryJson['asserts']>[number];

// The values of an assertion can be large.
function truncateAssertion(assertion: AssertionJson): AssertionJson {
  const { comparisons, expected, actual } = assertion;
  return {
    ...assertion,
    ...('expected' in assertion ? { expected: truncateValue(expected) } : {}),
    ...('actual' in assertion ? { actual: truncateValue(actual) } : {}),
    ...(Array.isArray(comparisons)
      ? { comparisons: (comparisons as AssertionJson[]).slice(0, maxAssertions).map(truncateAssertion) }
      : {}),
  };
}

function toTimelineEntry({ output, attempts = [], entries, asserts, ...rest }: TraceEntryJson): TimelineEntry {
  const entry = asserts ? { ...rest, asserts: asserts.slice(0, maxAssertions).map(truncateAssertion) } : rest;
  const skipped = typeof output === 'object' && output !== null && (output as { skipped?: unknown }).skipped === true;
  return {
    nodeId: idOf(entry),
    entry,
    isSkipped: skipped,
    outputs: outputsOf(output),
    attempts: attempts.slice(0, maxAttempts).map(toTimelineEntry),
    children: (entries ?? []).slice(0, maxAttempts).map(toTimelineEntry),
  };
}

function outputsOf(output: unknown): TimelineEntry['outputs'] {
  if (output === undefined) return [];
  if (typeof output !== 'object' || output === null || Array.isArray(output))
    return [{ name: 'output', text: formatValue(output) }];
  const { stdout, stderr, ...rest } = output as Record<string, unknown>;
  const streams = Object.entries({ stdout, stderr }).filter(([, text]) => typeof text === 'string' && text !== '');
  return [
    ...streams.map(([name, text]) => ({ name, text: formatValue(text) })),
    ...(Object.keys(rest).length > 0 ? [{ name: 'output', text: formatValue(rest) }] : []),
  ];
}
