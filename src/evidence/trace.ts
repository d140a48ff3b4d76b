// The trace: what the journal says of each node, in the protocol's words and in the order the nodes ended.
import { withoutAttempt } from '../engine/runPath.js';
import type { CauseClass } from './exitCodes.js';
import type { Artifact, Assert, BeginLine, EndLine, JournalLine, LoggedIssue } from './models/journalLine.js';

export type TraceEntry = {
  nodeId: string;
  action: string;
  intent?: string;
  phase?: string;
  record?: string;
  proofTarget?: string;
  proves?: string[];
  artifacts?: string[];
  startedAt: string;
  endedAt: string;
  durationMs: number;
  ok: boolean;
  next?: string;
  /** Which of the edges that leave it fired, counted in the order of the document, for a node of a graph of edges. */
  fired?: number[];
  status?: string;
  output?: unknown;
  asserts?: Assert[];
  /** Unexpected logs; the summary says which of them count. */
  issues?: LoggedIssue[];
  tolerated?: { error: string; cause_class: CauseClass };
  /** Earlier tries of the same visit. */
  attempts?: TraceEntry[];
  /** What ran inside an earlier try. */
  entries?: TraceEntry[];
  error?: string;
  cause_class?: CauseClass;
  /** The node was in flight when the run was cut short. */
  unfinished?: true;
};

/** How the failed tries and the tolerated nodes of a journal ended, by path. */
export type FailureOutcomes = ReadonlyMap<string, 'retried' | 'tolerated'>;

/** Looked up beforehand, so that what ran inside such a node can be written the moment it ends. */
export function findFailureOutcomes(texts: Iterable<string>): FailureOutcomes {
  const outcomes = new Map<string, 'retried' | 'tolerated'>();
  for (const text of texts) {
    // Parsing every line twice would cost more than all the rest, and only what failed has such a fate.
    if (!text.includes('"ok":false')) continue;
    const { t, path, retried, tolerated } = parseEnd(text);
    if (t === 'end' && path !== undefined && (retried || tolerated)) outcomes.set(path, retried ? 'retried' : 'tolerated');
  }
  return outcomes;
}

function parseEnd(text: string): Partial<EndLine> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<EndLine>;
  } catch {
    // SyntaxError: a torn line, which the reader of the chain reports.
    return {};
  }
}

/** Turns lines into entries one by one. Only tries that are to stand inside a later entry are held. */
export class Tracer {
  private readonly openNodes = new Map<string, BeginLine>();
  /** What ran inside a try that will be tried again, by the path of the try. */
  private readonly entriesInTry = new Map<string, TraceEntry[]>();
  /** Failed tries of a visit that goes on. */
  private readonly failedTries = new Map<string, TraceEntry[]>();

  constructor(
    private readonly outcomes: FailureOutcomes,
    private readonly emit: (entry: TraceEntry) => void,
  ) {}

  readLine(line: JournalLine): void {
    if (line.t === 'begin') this.openNodes.set(line.path, line);
    const begin = line.t === 'end' ? this.openNodes.get(line.path) : undefined;
    if (line.t !== 'end' || !begin) return;
    const { path } = line;
    const visit = withoutAttempt(path);
    const entry = finishedEntry(begin, line);
    if (line.retried) {
      const ran = this.entriesInTry.get(path);
      this.entriesInTry.delete(path);
      this.failedTries.set(visit, [...(this.failedTries.get(visit) ?? []), ran ? { ...entry, entries: ran } : entry]);
    } else {
      this.abandonTries(`${path}/`);
      entry.nodeId = visit;
      this.deliver(path, this.withAttempts(entry));
    }
    this.openNodes.delete(path);
  }

  /** What was in flight when the journal ended, and why that was, if the host knows. */
  end(last: string, why?: string): void {
    for (const begin of this.openNodes.values()) {
      const nodeId = withoutAttempt(begin.path);
      this.emit(this.withAttempts({ ...unfinishedEntry(begin, last, why), nodeId }));
    }
    this.openNodes.clear();
    this.abandonTries('');
  }

  // The try after it never began: the recovery failed, or what is around it was over.
  private abandonTries(below: string): void {
    for (const [visit, tries] of this.failedTries) {
      if (!visit.startsWith(below)) continue;
      this.failedTries.delete(visit);
      this.deliver(visit, abandonedEntry(tries));
    }
  }

  private deliver(path: string, entry: TraceEntry): void {
    const { told, held } = this.locate(path, entry);
    if (held) held.push(told);
    else this.emit(told);
  }

  // What is tolerated around an entry is tolerated of it, up to a try that takes it along.
  private locate(path: string, entry: TraceEntry): { told: TraceEntry; held?: TraceEntry[] } {
    let told = entry;
    for (let at = path.lastIndexOf('/'); at > 0 && this.outcomes.size > 0; at = path.lastIndexOf('/', at - 1)) {
      const ancestor = path.slice(0, at);
      // What recovers a failed try runs after it, not inside of it.
      const outcome = this.openNodes.has(ancestor) ? this.outcomes.get(ancestor) : undefined;
      if (outcome === 'tolerated') told = toleratedEntry(told);
      if (outcome === 'retried') return { told, held: this.listEntriesInTry(ancestor) };
    }
    return { told };
  }

  private listEntriesInTry(around: string): TraceEntry[] {
    const held = this.entriesInTry.get(around) ?? [];
    this.entriesInTry.set(around, held);
    return held;
  }

  private withAttempts(entry: TraceEntry): TraceEntry {
    const attempts = this.failedTries.get(entry.nodeId);
    if (!attempts) return entry;
    this.failedTries.delete(entry.nodeId);
    entry.attempts = attempts;
    return entry;
  }
}

// One entry of the trace, from the two lines of its node.

/** Written for speed, as a long run has many: fields are set in the order in which the trace shows them. */
export function finishedEntry(begin: BeginLine, end: EndLine): TraceEntry {
  const entry = openEntry(begin, end.artifacts);
  entry.endedAt = end.at;
  entry.durationMs = end.ms;
  entry.ok = end.ok || end.tolerated === true;
  if (end.next !== undefined) entry.next = end.next;
  if (end.decision?.fired) entry.fired = end.decision.fired;
  if (end.status !== undefined) entry.status = end.status;
  const skip = begin.decision?.skip;
  const output = skip === undefined ? end.output : { skipped: true, reason: skip };
  if (output !== undefined) entry.output = output;
  if (end.asserts) entry.asserts = end.asserts;
  if (end.issues) entry.issues = end.issues;
  if (end.ok) return entry;
  const { message, cause_class } = end.error ?? { message: 'The node failed.', cause_class: 'unknown' };
  return Object.assign(entry, end.tolerated ? { tolerated: { error: message, cause_class } } : { error: message, cause_class });
}

export function unfinishedEntry(begin: BeginLine, endedAt: string, why: string | undefined): TraceEntry {
  const error = why === undefined ? 'The node did not finish.' : `The node did not finish: ${why}`;
  return { ...openEntry(begin), endedAt, durationMs: 0, ok: false, error, cause_class: 'unknown', unfinished: true };
}

/** The last of several tries, which was to be tried again and never was. */
export function abandonedEntry(tries: readonly TraceEntry[]): TraceEntry {
  const [last, ...before] = [...tries].reverse();
  if (!last) throw new Error('A retried visit has no tries.');
  const entry = { ...last, nodeId: withoutAttempt(last.nodeId) };
  return before.length === 0 ? entry : { ...entry, attempts: before.reverse() };
}

/** What is tolerated of a node is tolerated of what it failed of. */
export function toleratedEntry(entry: TraceEntry): TraceEntry {
  if (entry.ok) return entry;
  const { error = '', cause_class = 'unknown', ...rest } = entry;
  return { ...rest, ok: true, tolerated: { error, cause_class } };
}

// What is not known yet is filled in by those who know.
function openEntry(begin: BeginLine, artifacts?: readonly Artifact[]): TraceEntry {
  const entry = { nodeId: begin.path, action: begin.action } as TraceEntry;
  if (begin.intent !== undefined) entry.intent = begin.intent;
  if (begin.phase !== undefined) entry.phase = begin.phase;
  if (begin.record !== undefined) entry.record = begin.record;
  if (begin.proofTarget !== undefined) entry.proofTarget = begin.proofTarget;
  if (begin.proves) entry.proves = begin.proves;
  if (artifacts) entry.artifacts = artifacts.map(({ path }) => path);
  entry.startedAt = begin.at;
  return entry;
}
