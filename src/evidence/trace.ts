// The trace: what the journal says of each node, in the protocol's words and in the order the nodes ended.
import { present } from '../document/present.js';
import { withoutAttempt } from '../graph/runPath.js';
import type { CauseClass } from './failure.js';
import type { Assert, BeginLine, EndLine, JournalLine } from './journal.js';

export type TraceEntry = {
  nodeId: string;
  action: string;
  intent?: string;
  phase?: string;
  record?: string;
  proofTarget?: string;
  artifacts?: string[];
  startedAt: string;
  endedAt: string;
  durationMs: number;
  ok: boolean;
  next?: string;
  status?: string;
  output?: unknown;
  asserts?: Assert[];
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

export function buildTrace(lines: readonly JournalLine[]): TraceEntry[] {
  const begun = new Map<string, BeginLine>();
  const earlier = new Map<string, TraceEntry[]>();
  let entries: TraceEntry[] = [];
  for (const line of lines) {
    if (line.t === 'begin') begun.set(line.path, line);
    const begin = line.t === 'end' ? begun.get(line.path) : undefined;
    if (line.t !== 'end' || !begin) continue;
    begun.delete(line.path);
    const entry = finished(begin, line);
    const visit = withoutAttempt(line.path);
    const inside = (other: TraceEntry): boolean => other.nodeId.startsWith(`${line.path}/`);
    if (line.retried) {
      const tried = { ...entry, ...listed(entries.filter(inside)) };
      entries = entries.filter((other) => !inside(other));
      earlier.set(visit, [...(earlier.get(visit) ?? []), tried]);
      continue;
    }
    if (line.tolerated) entries = entries.map((other) => (inside(other) ? tolerate(other) : other));
    entries.push({ ...entry, nodeId: visit, ...attemptsOf(earlier, visit) });
  }
  const last = lines.at(-1)?.at ?? '';
  for (const begin of begun.values()) {
    const visit = withoutAttempt(begin.path);
    entries.push({ ...unfinished(begin, last), nodeId: visit, ...attemptsOf(earlier, visit) });
  }
  for (const tries of earlier.values()) entries.push(abandoned(tries));
  return entries;
}

function listed(entries: TraceEntry[]): { entries?: TraceEntry[] } {
  return entries.length > 0 ? { entries } : {};
}

// What is tolerated of a node is tolerated of what it failed of.
function tolerate(entry: TraceEntry): TraceEntry {
  if (entry.ok) return entry;
  const { error = '', cause_class = 'unknown', ...rest } = entry;
  return { ...rest, ok: true, tolerated: { error, cause_class } };
}

function attemptsOf(earlier: Map<string, TraceEntry[]>, visit: string): { attempts?: TraceEntry[] } {
  const attempts = earlier.get(visit);
  earlier.delete(visit);
  return attempts ? { attempts } : {};
}

// The try after it never began: the recovery failed, or the run was over.
function abandoned(tries: readonly TraceEntry[]): TraceEntry {
  const [last, ...before] = [...tries].reverse();
  if (!last) throw new Error('A retried visit has no tries.');
  const entry = { ...last, nodeId: withoutAttempt(last.nodeId) };
  return before.length === 0 ? entry : { ...entry, attempts: before.reverse() };
}

function opening(begin: BeginLine): Pick<TraceEntry, 'nodeId' | 'action' | 'startedAt'> & Partial<TraceEntry> {
  const { path: nodeId, action, intent, phase, record, proofTarget, at: startedAt } = begin;
  return { nodeId, action, ...present({ intent, phase, record, proofTarget }), startedAt };
}

function finished(begin: BeginLine, end: EndLine): TraceEntry {
  const skip = begin.decision?.skip;
  const artifacts = end.artifacts?.map((artifact) => artifact.path);
  const output = skip === undefined ? end.output : { skipped: true, reason: skip };
  const failure = end.error && { error: end.error.message, cause_class: end.error.cause_class };
  const settled = end.tolerated && failure ? { tolerated: failure } : { ...failure };
  return {
    ...opening(begin),
    ...present({ artifacts }),
    endedAt: end.at,
    durationMs: end.ms,
    ok: end.ok || end.tolerated === true,
    ...present({ next: end.next, status: end.status, output, asserts: end.asserts }),
    ...settled,
  };
}

function unfinished(begin: BeginLine, endedAt: string): TraceEntry {
  const error = 'The node did not finish.';
  return { ...opening(begin), endedAt, durationMs: 0, ok: false, error, cause_class: 'unknown', unfinished: true };
}
