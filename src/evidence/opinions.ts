// What is to be held against a run; without any opinion it passes.
import { type FailureKind, failureTable } from './failure.js';
import type { EndLine, RunLine } from './models/journalLine.js';
import type { Counts, Opinion, Tally } from './tally.js';

export type Proof = {
  id: string;
  claim: string;
  status: 'proven' | 'refuted' | 'unproven' | 'blocked';
  held: number;
  failed: number;
  artifacts: number;
  reason?: string;
};

export type Seen = {
  tally: Tally;
  closing: Pick<EndLine, 'status' | 'error' | 'signal'> | undefined;
  inFlight: readonly string[];
  proof: readonly Proof[];
  isOpened: boolean;
  allowBlocked: boolean;
  /** A node that ran could have failed. */
  tested: boolean;
};

/** In the order in which they explain a verdict. */
export function opinionsOf(seen: Seen): Opinion[] {
  return [...seen.tally.opinions(), ...endings(seen), ...claims(seen), ...substance(seen)];
}

function opinion(kind: FailureKind, reason: string): Opinion {
  return { status: failureTable[kind].status, cause: failureTable[kind].cause, reason };
}

function endings({ closing, inFlight }: Seen): Opinion[] {
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

function claims({ proof, allowBlocked }: Seen): Opinion[] {
  return proof
    .filter(({ status }) => status !== 'proven' && !(allowBlocked && status === 'blocked'))
    .map(({ id, status, reason }) =>
      status === 'refuted'
        ? opinion('assertion', `${id} is refuted: ${reason}`)
        : { status: 'unknown', reason: `${id} is ${status}: ${reason}` },
    );
}

// A recipe without claims is a smoke test: it counts when at least one node that ran could have failed.
function substance({ isOpened, tested, proof }: Seen): Opinion[] {
  if (!isOpened) return [{ status: 'unknown', reason: 'the journal has no opening line' }];
  if (proof.length > 0 || tested) return [];
  return [{ status: 'unknown', reason: 'the recipe proves nothing: no executed node could have failed' }];
}

const nothing: Counts = { held: 0, failed: 0, artifacts: 0 };

export function proofOf(target: RunLine['targets'][number], { held, failed, artifacts } = nothing): Proof {
  const said = (status: Proof['status'], reason?: string): Proof => ({
    ...{ id: target.id, claim: target.claim, status, held, failed, artifacts },
    ...(reason ? { reason } : {}),
  });
  if (failed > 0) return said('refuted', `${failed} of ${held + failed} assertions did not hold`);
  if (target.blocked !== undefined) return said('blocked', target.blocked);
  if (held === 0) return said('unproven', 'no assertion was evaluated for it');
  if (target.visible && artifacts === 0) return said('unproven', 'it is visible in the UI, but no artifact shows it');
  return said('proven');
}

/** Of a run that did not come to its end. */
export function cutShort(proof: Proof): Proof {
  if (proof.status !== 'proven') return proof;
  return { ...proof, status: 'unproven', reason: 'its assertions held until the run was cut short' };
}

export function reasonToPass(proof: readonly Proof[]): string {
  const proven = proof.filter(({ status }) => status === 'proven').length;
  return proof.length === 0 ? 'the recipe passed' : `${proven} of ${proof.length} claims proven`;
}
