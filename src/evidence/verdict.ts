// What a run proves, judged from its journal alone. Nothing but evaluated assertions makes a pass; unknown is never green.
import type { Status } from '../graph/plan.js';
import { worse } from '../graph/plan.js';
import { type CauseClass, type FailureKind, failureTable } from './failure.js';
import type { EndLine, JournalLine, RunLine } from './journal.js';
import { buildTrace, type TraceEntry } from './trace.js';

export type Proof = {
  id: string;
  claim: string;
  status: 'proven' | 'refuted' | 'unproven' | 'blocked';
  held: number;
  failed: number;
  artifacts: number;
  reason?: string;
};

export type Verdict = {
  status: Status;
  reason: string;
  cause_class?: CauseClass;
  proof: Proof[];
  signal?: string;
  interruptedAt?: string[];
};

export type Judged = { verdict: Verdict; entries: TraceEntry[]; run?: RunLine; closing?: EndLine };

export function judge(lines: readonly JournalLine[]): Judged {
  const entries = buildTrace(lines);
  const run = lines.find((line): line is RunLine => line.t === 'run');
  const closing = lines.find((line): line is EndLine => line.t === 'end' && line.path === '');
  const proof = (run?.targets ?? []).map((target) => proofOf(target, entries));
  const opinions = [...failures(entries), ...endings(closing, entries), ...claims(proof), ...substance(lines, run)];
  const status = opinions.reduce<Status>((worst, opinion) => worse(worst, opinion.status), 'pass');
  const deciding = opinions.find((opinion) => opinion.status === status);
  const verdict: Verdict = { status, reason: deciding?.reason ?? reasonToPass(proof), proof };
  if (deciding?.cause) verdict.cause_class = deciding.cause;
  if (closing?.signal) verdict.signal = closing.signal;
  const inFlight = entries.filter((entry) => entry.unfinished).map((entry) => entry.nodeId);
  if (inFlight.length > 0) verdict.interruptedAt = inFlight;
  return { verdict, entries, ...(run ? { run } : {}), ...(closing ? { closing } : {}) };
}

type Opinion = { status: Exclude<Status, 'pass'>; reason: string; cause?: CauseClass };

function opinion(kind: FailureKind, reason: string): Opinion {
  return { status: failureTable[kind].status, cause: failureTable[kind].cause, reason };
}

function endings(closing: EndLine | undefined, entries: readonly TraceEntry[]): Opinion[] {
  const inFlight = entries.filter((entry) => entry.unfinished).map((entry) => entry.nodeId);
  if (!closing)
    return [
      opinion('interrupted', inFlight.length > 0 ? `interrupted at ${inFlight.join(', ')}` : 'interrupted before it ended'),
    ];
  if (closing.signal) return [opinion('interrupted', `stopped by ${closing.signal}`)];
  if (closing.status === 'pass') return [];
  const { status = 'unknown', error } = closing;
  if (error) return [{ status, cause: error.cause_class, reason: error.message }];
  return [{ status, ...(status === 'fail' ? { cause: 'subject' } : {}), reason: `the recipe ended with status ${status}` }];
}

function failures(entries: readonly TraceEntry[]): Opinion[] {
  return entries
    .filter((entry) => !entry.ok && !entry.unfinished)
    .map((entry) => {
      const cause = entry.cause_class ?? 'unknown';
      return { status: cause === 'subject' ? 'fail' : 'unknown', cause, reason: `${entry.nodeId}: ${entry.error ?? 'failed'}` };
    });
}

function claims(proof: readonly Proof[]): Opinion[] {
  return proof
    .filter((target) => target.status !== 'proven')
    .map(({ id, status, reason }) =>
      status === 'refuted'
        ? opinion('assertion', `${id} is refuted: ${reason}`)
        : { status: 'unknown', reason: `${id} is ${status}: ${reason}` },
    );
}

// A recipe without claims is a smoke test: it counts when at least one node that ran could have failed.
function substance(lines: readonly JournalLine[], run: RunLine | undefined): Opinion[] {
  if (!run) return [{ status: 'unknown', reason: 'the journal has no opening line' }];
  if (run.targets.length > 0) return [];
  const ended = new Set(lines.filter((line) => line.t === 'end').map((line) => line.path));
  const tested = lines.some(
    (line) => line.t === 'begin' && line.fallible && line.decision?.skip === undefined && ended.has(line.path),
  );
  return tested ? [] : [{ status: 'unknown', reason: 'the recipe proves nothing: no executed node could have failed' }];
}

function proofOf(target: RunLine['targets'][number], entries: readonly TraceEntry[]): Proof {
  const asserts = entries.flatMap((entry) => entry.asserts ?? []).filter((made) => made.proofTarget === target.id);
  const failed = asserts.filter((made) => !made.held).length;
  const artifacts = entries.filter((entry) => entry.proofTarget === target.id).flatMap((entry) => entry.artifacts ?? []).length;
  const counts = { held: asserts.length - failed, failed, artifacts };
  const said = (status: Proof['status'], reason?: string): Proof => ({
    id: target.id,
    claim: target.claim,
    status,
    ...counts,
    ...(reason ? { reason } : {}),
  });
  if (failed > 0) return said('refuted', `${failed} of ${asserts.length} assertions did not hold`);
  if (target.blocked !== undefined) return said('blocked', target.blocked);
  if (asserts.length === 0) return said('unproven', 'no assertion was evaluated for it');
  if (target.visible && artifacts === 0) return said('unproven', 'it is visible in the UI, but no artifact shows it');
  return said('proven');
}

function reasonToPass(proof: readonly Proof[]): string {
  return proof.length === 0 ? 'the recipe passed' : `${proof.length} of ${proof.length} claims proven`;
}
