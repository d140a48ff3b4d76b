// Turns the lines of a journal into the trace of the protocol: one entry for each node, in the order in which the nodes ended.

import { withoutAttempt } from '../engine/runPath.js';
import type { CauseClass } from './failureTable.js';
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
  /** In a graph of edges: the indexes of the outgoing edges that fired, in document order. */
  fired?: number[];
  status?: string;
  output?: unknown;
  asserts?: Assert[];
  /** Unexpected logs. The summary says which of them fail the run. */
  issues?: LoggedIssue[];
  tolerated?: { error: string; cause_class: CauseClass };
  /** Earlier attempts of the same visit. */
  attempts?: TraceEntry[];
  /** For an earlier attempt: the entries of the nodes inside it. */
  entries?: TraceEntry[];
  error?: string;
  cause_class?: CauseClass;
  /** The node was running when the run was cut short. */
  unfinished?: true;
};

/** The failed attempts that were retried, and the failures that were tolerated, by path. */
export type FailureOutcomes = ReadonlyMap<string, 'retried' | 'tolerated'>;

/** Finds the outcomes in a first pass over the journal. `Tracer` needs the outcome of a node before the nodes inside it end. */
export function findFailureOutcomes(texts: Iterable<string>): FailureOutcomes {
  const outcomes = new Map<string, 'retried' | 'tolerated'>();
  for (const text of texts) {
    // Only failed nodes matter here. Parsing every line twice would take longer than the rest.
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
    // SyntaxError: an incomplete line, which `followJournal` reports.
    return {};
  }
}

/** Turns lines into entries one by one. Only attempts that become part of a later entry stay in memory. */
export class Tracer {
  private readonly openNodes = new Map<string, BeginLine>();
  /** The entries inside an attempt that will be retried, by the path of the attempt. */
  private readonly entriesInAttempt = new Map<string, TraceEntry[]>();
  /** Failed attempts of a visit that continues. */
  private readonly failedAttempts = new Map<string, TraceEntry[]>();

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
      const entries = this.entriesInAttempt.get(path);
      this.entriesInAttempt.delete(path);
      this.failedAttempts.set(visit, [...(this.failedAttempts.get(visit) ?? []), entries ? { ...entry, entries } : entry]);
    } else {
      this.emitAbandoned(`${path}/`);
      entry.nodeId = visit;
      this.emitOrAttach(path, this.withAttempts(entry));
    }
    this.openNodes.delete(path);
  }

  /** Adds entries for the nodes that were running when the journal ended. `reason`: why the run ended, if the host knows. */
  end(endedAt: string, reason?: string): void {
    for (const begin of this.openNodes.values()) {
      const nodeId = withoutAttempt(begin.path);
      this.emit(this.withAttempts({ ...unfinishedEntry(begin, endedAt, reason), nodeId }));
    }
    this.openNodes.clear();
    this.emitAbandoned('');
  }

  // The next attempt never began, because the recovery failed or the parent ended first.
  private emitAbandoned(prefix: string): void {
    for (const [visit, attempts] of this.failedAttempts) {
      if (!visit.startsWith(prefix)) continue;
      this.failedAttempts.delete(visit);
      this.emitOrAttach(visit, abandonedEntry(attempts));
    }
  }

  // If the failure of an ancestor is tolerated, the entry's failure is tolerated, too. If an ancestor will be retried, the entry becomes
  // part of the ancestor's failed attempt.
  private emitOrAttach(path: string, original: TraceEntry): void {
    let entry = original;
    for (let at = path.lastIndexOf('/'); at > 0 && this.outcomes.size > 0; at = path.lastIndexOf('/', at - 1)) {
      const ancestor = path.slice(0, at);
      // A recovery has the failed attempt in its path, but runs after that attempt ended.
      const outcome = this.openNodes.has(ancestor) ? this.outcomes.get(ancestor) : undefined;
      if (outcome === 'tolerated') entry = toleratedEntry(entry);
      if (outcome === 'retried') {
        const entries = this.entriesInAttempt.get(ancestor) ?? [];
        entries.push(entry);
        this.entriesInAttempt.set(ancestor, entries);
        return;
      }
    }
    this.emit(entry);
  }

  private withAttempts(entry: TraceEntry): TraceEntry {
    const attempts = this.failedAttempts.get(entry.nodeId);
    if (!attempts) return entry;
    this.failedAttempts.delete(entry.nodeId);
    entry.attempts = attempts;
    return entry;
  }
}

/** Creates the entry of a node from its two lines. Fields are set one by one in the order of the trace, which is fastest. */
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

export function unfinishedEntry(begin: BeginLine, endedAt: string, reason: string | undefined): TraceEntry {
  const error = reason === undefined ? 'The node did not finish.' : `The node did not finish: ${reason}`;
  return { ...openEntry(begin), endedAt, durationMs: 0, ok: false, error, cause_class: 'unknown', unfinished: true };
}

/** Creates the entry of a visit whose last failed attempt was not retried after all. */
export function abandonedEntry(attempts: readonly TraceEntry[]): TraceEntry {
  const last = attempts.at(-1);
  if (!last) throw new Error('A retried visit has no attempts.');
  const entry = { ...last, nodeId: withoutAttempt(last.nodeId) };
  return attempts.length === 1 ? entry : { ...entry, attempts: attempts.slice(0, -1) };
}

/** Marks a failure as tolerated, because the failure of an ancestor is tolerated. */
export function toleratedEntry(entry: TraceEntry): TraceEntry {
  if (entry.ok) return entry;
  const { error = '', cause_class = 'unknown', ...rest } = entry;
  return { ...rest, ok: true, tolerated: { error, cause_class } };
}

// The caller sets the remaining fields.
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
