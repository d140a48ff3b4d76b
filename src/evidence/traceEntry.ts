// One entry of the trace, from the two lines of its node.
import { withoutAttempt } from '../engine/runPath.js';
import type { Artifact, BeginLine, EndLine } from './models/journalLine.js';
import type { TraceEntry } from './trace.js';

/** Written for speed, as a long run has many: fields are set in the order in which the trace shows them. */
export function finished(begin: BeginLine, end: EndLine): TraceEntry {
  const entry = opening(begin, end.artifacts);
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

export function unfinished(begin: BeginLine, endedAt: string, why: string | undefined): TraceEntry {
  const error = why === undefined ? 'The node did not finish.' : `The node did not finish: ${why}`;
  return { ...opening(begin), endedAt, durationMs: 0, ok: false, error, cause_class: 'unknown', unfinished: true };
}

/** The last of several tries, which was to be tried again and never was. */
export function abandoned(tries: readonly TraceEntry[]): TraceEntry {
  const [last, ...before] = [...tries].reverse();
  if (!last) throw new Error('A retried visit has no tries.');
  const entry = { ...last, nodeId: withoutAttempt(last.nodeId) };
  return before.length === 0 ? entry : { ...entry, attempts: before.reverse() };
}

/** What is tolerated of a node is tolerated of what it failed of. */
export function tolerate(entry: TraceEntry): TraceEntry {
  if (entry.ok) return entry;
  const { error = '', cause_class = 'unknown', ...rest } = entry;
  return { ...rest, ok: true, tolerated: { error, cause_class } };
}

// What is not known yet is filled in by those who know.
function opening(begin: BeginLine, artifacts?: readonly Artifact[]): TraceEntry {
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
