// What ran, in order: one line each, everything else on request.

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
      ? html`<p class="note">${totalCount - shownCount} more entries are in ${fileLink('trace.json')}: this page shows the first 2,000 and what failed.</p>`
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

// No list items of HTML: Chromium numbers all of a list anew for each one that a search hides.
function entryItem(kept: TimelineEntry, artifacts: ArtifactsByPath): Html {
  const { entry, nodeId, children } = kept;
  const { sign, word, tone } = outcomeOf(kept);
  const files = filesOf(kept);
  const marks = [tone === 'bad' && 'bad', entry.asserts?.length && 'asserts', files.length > 0 && 'media']
    .filter(Boolean)
    .join(' ');
  const claims = entry.proves ?? (entry.proofTarget === undefined ? [] : [entry.proofTarget]);
  return html`<div class="entry" role="listitem" id="${raw(anchor('n', nodeId))}" data-is="${marks}"><details${!entry.ok && raw(' open')}><summary><span class="sign ${tone}">${sign}<span class="sr"> ${word}:</span></span><span class="what">${entry.intent ?? nodeId}</span><span class="who">${nodeId} · ${entry.action}</span>${claims.map((id) => html`<span class="tag">◆ ${id}</span>`)}<span class="ms">${formatDuration(entry.durationMs ?? 0)}</span></summary><div class="body">${entryBody(kept, artifacts)}</div></details>${children.length > 0 && html`<div class="line" role="list">${children.map((child) => entryItem(child, artifacts))}</div>`}</div>`;
}

function filesOf({ entry }: TimelineEntry): string[] {
  return (entry.artifacts ?? []).map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path));
}

function entryBody(kept: TimelineEntry, artifacts: ArtifactsByPath): Html {
  const { entry, outputs, attempts } = kept;
  const failure = entry.error ?? entry.tolerated?.error;
  const files = filesOf(kept).map((path) => artifacts.get(path) ?? path);
  const media = files.filter((file) => typeof file !== 'string' && (isPicture(file) || isVideo(file))) as ArtifactEntry[];
  const others = files.filter((file) => typeof file === 'string' || !media.includes(file));
  return html`${failure && html`<p class="error">${failure}${causeOf(kept)}</p>`}
${entry.asserts?.length ? assertionList(entry.asserts) : ''}
${pictureFigures(media)}${others.length > 0 && html`<p>Files: ${others.map(fileName)}</p>`}
${outputs.map(({ name, text }) => html`<h3>${name}</h3><pre tabindex="0">${text}</pre>`)}
${(entry.issues ?? []).map(({ level, source, message }) => html`<p class="issue">${level} from ${source}: ${message}</p>`)}
${attempts.map((attempt, index) => html`<div class="attempt"><h3>Try ${index + 1}, before this one</h3>${entryBody(attempt, artifacts)}</div>`)}
<p class="dim">${[entry.phase, entry.startedAt, entry.next && `goes on at ${entry.next}`].filter(Boolean).join(' · ')}</p>`;
}

// What was taken out again, or never came, is named and not linked.
function fileName(file: ArtifactEntry | string): Html {
  return typeof file === 'string' ? html`<code>${file}</code> (not in the package) ` : html`${fileLink(file.path)} `;
}

function causeOf({ entry }: TimelineEntry): Html | string {
  const cause = entry.cause_class ?? entry.tolerated?.cause_class;
  return cause ? html` <span class="dim">(cause: ${cause})</span>` : '';
}

// What a review page keeps of a trace: all of a usual run, of a very long one its beginning and its failures.

export type Assertion = { held: boolean; nodeId: string; [field: string]: unknown };

type TimelineEntry = {
  nodeId: string;
  /** Without its output and its earlier tries, which are kept cut. */
  entry: TraceEntryJson;
  isSkipped: boolean;
  /** What came out: the streams of a command apart, the rest as JSON. */
  outputs: readonly { name: string; text: string }[];
  attempts: readonly TimelineEntry[];
  children: TimelineEntry[];
};

const maxEntries = 2_000;
const maxFailures = 200;
const maxAttempts = 10;
const maxAssertions = 50;

export class TimelineEntries {
  /** In the order in which they ended, what ran inside of a node below it. */
  roots: TimelineEntry[] = [];
  totalCount = 0;
  shownCount = 0;
  firstFailed: TimelineEntry | undefined;
  /** By claim. */
  readonly assertions = new Map<string, Assertion[]>();
  private failures = 0;
  /** What the ids so far say they ran inside of. */
  private readonly ancestorIds = new Set<string>();

  add(entry: TraceEntryJson): void {
    this.totalCount++;
    this.collectAssertions(entry);
    const isFailure = !entry.ok;
    const hasRoom = this.shownCount < maxEntries || (isFailure && this.failures < maxFailures);
    if (!hasRoom) return;
    if (this.shownCount >= maxEntries) this.failures++;
    this.shownCount++;
    const kept = toTimelineEntry(entry);
    this.insert(kept);
    // What a node fails of stands before it: the innermost failure comes first.
    if (isFailure) this.firstFailed ??= kept;
  }

  private collectAssertions(entry: TraceEntryJson): void {
    for (const made of entry.asserts ?? []) {
      const { proofTarget } = made;
      if (typeof proofTarget !== 'string') continue;
      const list = this.assertions.get(proofTarget) ?? [];
      this.assertions.set(proofTarget, list);
      // One that did not hold is worth more than the fifty-first that did.
      const most = made.held ? maxAssertions : 2 * maxAssertions;
      if (list.length < most) list.push({ ...truncateAssertion(made), nodeId: idOf(entry) });
    }
  }

  private insert(kept: TimelineEntry): void {
    const { nodeId } = kept;
    if (this.ancestorIds.has(nodeId)) {
      const isChild = (root: TimelineEntry): boolean =>
        root.nodeId.startsWith(nodeId) && '/@'.includes(root.nodeId[nodeId.length] ?? ' ');
      kept.children.push(...this.roots.filter(isChild));
      this.roots = this.roots.filter((root) => !isChild(root));
    }
    this.roots.push(kept);
    for (const { index } of nodeId.matchAll(/[/@]/g)) this.ancestorIds.add(nodeId.slice(0, index));
  }
}

function idOf({ nodeId, id }: Pick<TraceEntryJson, 'nodeId' | 'id'>): string {
  return nodeId ?? id ?? '';
}

type AssertionJson = NonNullable<TraceEntryJson['asserts']>[number];

// What was compared may be as large as the run.
function truncateAssertion(made: AssertionJson): AssertionJson {
  const { comparisons, expected, actual } = made;
  return {
    ...made,
    ...('expected' in made ? { expected: truncateValue(expected) } : {}),
    ...('actual' in made ? { actual: truncateValue(actual) } : {}),
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
