// What a run proves, judged from its journal alone. Nothing but evaluated assertions makes a pass; unknown is never green.
import { worseStatus } from '../engine/plan.js';
import { withoutAttempt } from '../engine/runPath.js';
import type { Status } from '../recipe/recipe.js';
import { type CauseClass, failureTable } from './exitCodes.js';
import { createIssuePolicy, type IssuePolicy } from './issues.js';
import type { BeginLine, EndLine, JournalLine, RunLine } from './models/journalLine.js';
import type { FailureKind } from './recipeError.js';
import { findOpenAncestor, ReferenceVerdict } from './referenceVerdict.js';

export type Verdict = {
  status: Status;
  reason: string;
  cause_class?: CauseClass;
  proof: Proof[];
  signal?: string;
  interruptedAt?: string[];
  /** By our rules and by those of the format's reference, whichever of them is the verdict. */
  verdicts?: { honest: Status; compat: Status };
};

type OpenNode = { begin: BeginLine; inside?: OutcomeCounts };
type ClosingLine = Pick<EndLine, 'status' | 'error' | 'signal'>;

/** Sees a journal line by line and keeps only what the verdict needs; it can be asked at any time. */
export class Judge {
  run: RunLine | undefined;
  closing: EndLine | undefined;
  private policy: IssuePolicy = createIssuePolicy(undefined);
  private readonly open = new Map<string, OpenNode>();
  private readonly finished = new OutcomeCounts();
  /** Tries that failed and whose next one has not begun. */
  private readonly waiting = new Map<string, OutcomeCounts>();
  private couldFail = false;
  private readonly reference = new ReferenceVerdict();

  readLine(line: JournalLine): void {
    if (this.run?.judged_as) this.reference.readLine(line);
    if (line.t === 'begin') this.beginNode(line);
    else if (line.t === 'run') this.openRun(line);
    else if (line.path === '') this.closing ??= line;
    else this.endNode(line);
  }

  currentVerdict(closing: ClosingLine | undefined = this.closing): Verdict {
    const tally = new OutcomeCounts();
    for (const part of [this.finished, ...this.waiting.values()]) tally.add(part);
    for (const { inside } of this.open.values()) if (inside) tally.add(inside);
    const claimProof = (this.run?.targets ?? []).map((target) => proofOf(target, tally.counts.get(target.id)));
    // Assertions that never came to be evaluated might not have held.
    const proof = closing && !closing.signal ? claimProof : claimProof.map(revokeProof);
    const inFlight = [...this.open.keys()].map(withoutAttempt);
    const substance = { isOpened: this.run !== undefined, tested: this.couldFail };
    const reasons = listVerdictReasons({
      tally,
      closing,
      inFlight,
      proof,
      allowBlocked: this.run?.allow_blocked === true,
      ...substance,
    });
    const status = reasons.reduce<Status>((worst, opinion) => worseStatus(worst, opinion.status), 'pass');
    const deciding = reasons.find((opinion) => opinion.status === status);
    const verdict: Verdict = { status, reason: deciding?.reason ?? passReason(proof), proof };
    if (deciding?.cause) verdict.cause_class = deciding.cause;
    if (closing?.signal) verdict.signal = closing.signal;
    if (inFlight.length > 0) verdict.interruptedAt = inFlight;
    return this.run?.judged_as ? this.applyReference(verdict, closing) : verdict;
  }

  private applyReference(verdict: Verdict, closing: ClosingLine | undefined): Verdict {
    // What was stopped or broke on the way is nothing the reference could speak of either.
    const isWhole = closing !== undefined && !closing.signal && !closing.error && !verdict.interruptedAt;
    const passes = isWhole && this.reference.failure === undefined;
    const compat = passes ? 'pass' : verdict.status === 'pass' ? 'fail' : verdict.status;
    const both = { ...verdict, verdicts: { honest: verdict.status, compat } as const };
    if (this.run?.judged_as !== 'compat') return both;
    if (verdict.status === 'pass')
      return passes
        ? both
        : { ...both, status: 'fail', reason: `the reference fails: ${this.reference.failure}`, cause_class: 'subject' };
    if (!passes || closing.status !== 'pass' || !this.couldFail) return both;
    const { cause_class: _, ...rest } = both;
    return { ...rest, status: 'pass', reason: `the reference passes over it: ${verdict.reason}` };
  }

  private openRun(line: RunLine): void {
    this.run ??= line;
    this.policy = createIssuePolicy(this.run.fail_on_unexpected);
  }

  private beginNode(line: BeginLine): void {
    this.open.set(line.path, { begin: line });
    if (line.attempt > 0) this.waiting.delete(withoutAttempt(line.path));
  }

  private endNode(line: EndLine): void {
    const node = this.open.get(line.path);
    if (!node) return;
    this.open.delete(line.path);
    const { begin } = node;
    if (begin.fallible && begin.decision?.skip === undefined) this.couldFail = true;
    // What ran inside a try that is tried again does not count.
    if (line.retried) {
      const own = new OutcomeCounts();
      this.countOutcome(own, begin, { ...line, seq: Number.POSITIVE_INFINITY });
      this.waiting.set(withoutAttempt(line.path), own);
      return;
    }
    const matters = node.inside !== undefined || this.waiting.size > 0 || affectsVerdict(line);
    if (!matters) return;
    const inside = node.inside ?? new OutcomeCounts();
    this.abandonTries(line.path, inside);
    if (line.tolerated) inside.dropFailures();
    this.countOutcome(inside, begin, line);
    this.countsAround(line.path).add(inside);
  }

  // A try whose next one never began: its recovery failed, or the node around it was over.
  private abandonTries(around: string, tally: OutcomeCounts): void {
    for (const [visit, tried] of this.waiting) {
      if (!visit.startsWith(`${around}/`)) continue;
      tally.add(tried);
      this.waiting.delete(visit);
    }
  }

  private countsAround(path: string): OutcomeCounts {
    const around = findOpenAncestor(path, this.open);
    if (!around) return this.finished;
    around.inside ??= new OutcomeCounts();
    return around.inside;
  }

  private countOutcome(tally: OutcomeCounts, begin: BeginLine, line: EndLine): void {
    const nodeId = withoutAttempt(line.path);
    if (!line.ok && !line.tolerated) {
      const cause = line.error?.cause_class ?? 'unknown';
      const reason = `${nodeId}: ${line.error?.message ?? 'failed'}`;
      tally.addFailure({ at: line.seq, status: failsBy(begin, cause) ? 'fail' : 'unknown', cause, reason });
    }
    for (const { proofTarget, held } of line.asserts ?? [])
      if (proofTarget !== undefined) tally.addClaim(proofTarget, held ? { held: 1 } : { failed: 1 });
    for (const artifact of line.artifacts ?? []) {
      // A log is no picture of the product, and neither is what was only kept to find out what went wrong.
      if (artifact.type === 'log' || artifact.category === 'diagnostic') continue;
      const isOwn = artifact.nodeId === undefined || artifact.nodeId === nodeId;
      // A video that was stopped by this node belongs to the claim it shows.
      for (const target of claimsOf(isOwn ? begin : artifact)) tally.addClaim(target, { artifacts: 1 });
    }
    for (const issue of line.issues ?? []) {
      if (this.policy.dispositionOf(issue) !== 'blocking') continue;
      const { status, cause } = failureTable.assertion;
      const reason = `${nodeId}: unexpected ${issue.level} from ${issue.source}: ${issue.message}`;
      tally.addIssue({ at: line.seq, status, cause, reason });
    }
  }
}

function claimsOf({ proofTarget, proves }: Pick<BeginLine, 'proofTarget' | 'proves'>): readonly string[] {
  return proves ?? (proofTarget === undefined ? [] : [proofTarget]);
}

// A closed gate is an answer, whoever keeps it closed.
function failsBy({ action }: BeginLine, cause: CauseClass): boolean {
  return cause === 'subject' || (action === 'pre_condition' && cause === 'environment');
}

function affectsVerdict({ ok, asserts, artifacts, issues }: EndLine): boolean {
  return !ok || asserts !== undefined || artifacts !== undefined || issues !== undefined;
}

export type JudgedRun = { verdict: Verdict; run?: RunLine; closing?: EndLine };

export function judge(lines: Iterable<JournalLine>): JudgedRun {
  const judging = new Judge();
  for (const line of lines) judging.readLine(line);
  const { run, closing } = judging;
  return { verdict: judging.currentVerdict(), ...(run ? { run } : {}), ...(closing ? { closing } : {}) };
}

// What is to be held against a run; without any opinion it passes.

export type Proof = {
  id: string;
  claim: string;
  status: 'proven' | 'refuted' | 'unproven' | 'blocked';
  held: number;
  failed: number;
  artifacts: number;
  reason?: string;
};

export type RunOutcome = {
  tally: OutcomeCounts;
  closing: Pick<EndLine, 'status' | 'error' | 'signal'> | undefined;
  inFlight: readonly string[];
  proof: readonly Proof[];
  isOpened: boolean;
  allowBlocked: boolean;
  /** A node that ran could have failed. */
  tested: boolean;
};

/** In the order in which they explain a verdict. */
export function listVerdictReasons(outcome: RunOutcome): VerdictReason[] {
  return [...outcome.tally.listReasons(), ...endingReasons(outcome), ...claimReasons(outcome), ...emptinessReasons(outcome)];
}

function reasonFor(kind: FailureKind, reason: string): VerdictReason {
  return { status: failureTable[kind].status, cause: failureTable[kind].cause, reason };
}

function endingReasons({ closing, inFlight }: RunOutcome): VerdictReason[] {
  if (!closing)
    return [
      reasonFor('interrupted', inFlight.length > 0 ? `interrupted at ${inFlight.join(', ')}` : 'interrupted before it ended'),
    ];
  if (closing.signal) return [reasonFor('interrupted', `stopped by ${closing.signal}`)];
  if (closing.status === 'pass') return [];
  const { status = 'unknown', error } = closing;
  if (error) return [{ status, cause: error.cause_class, reason: error.message }];
  return [{ status, ...(status === 'fail' ? { cause: 'subject' } : {}), reason: `the recipe ended with status ${status}` }];
}

function claimReasons({ proof, allowBlocked }: RunOutcome): VerdictReason[] {
  return proof
    .filter(({ status }) => status !== 'proven' && !(allowBlocked && status === 'blocked'))
    .map(({ id, status, reason }) =>
      status === 'refuted'
        ? reasonFor('assertion', `${id} is refuted: ${reason}`)
        : { status: 'unknown', reason: `${id} is ${status}: ${reason}` },
    );
}

// A recipe without claims is a smoke test: it counts when at least one node that ran could have failed.
function emptinessReasons({ isOpened, tested, proof }: RunOutcome): VerdictReason[] {
  if (!isOpened) return [{ status: 'unknown', reason: 'the journal has no opening line' }];
  if (proof.length > 0 || tested) return [];
  return [{ status: 'unknown', reason: 'the recipe proves nothing: no executed node could have failed' }];
}

const noCounts: ClaimCounts = { held: 0, failed: 0, artifacts: 0 };

export function proofOf(target: RunLine['targets'][number], { held, failed, artifacts } = noCounts): Proof {
  const proof = (status: Proof['status'], reason?: string): Proof => ({
    ...{ id: target.id, claim: target.claim, status, held, failed, artifacts },
    ...(reason ? { reason } : {}),
  });
  if (failed > 0) return proof('refuted', `${failed} of ${held + failed} assertions did not hold`);
  if (target.blocked !== undefined) return proof('blocked', target.blocked);
  if (held === 0) return proof('unproven', 'no assertion was evaluated for it');
  if (target.visible && artifacts === 0) return proof('unproven', 'it is visible in the UI, but no artifact shows it');
  return proof('proven');
}

/** Of a run that did not come to its end. */
export function revokeProof(proof: Proof): Proof {
  if (proof.status !== 'proven') return proof;
  return { ...proof, status: 'unproven', reason: 'its assertions held until the run was cut short' };
}

export function passReason(proof: readonly Proof[]): string {
  const proven = proof.filter(({ status }) => status === 'proven').length;
  return proof.length === 0 ? 'the recipe passed' : `${proven} of ${proof.length} claims proven`;
}

// What a part of a run says for and against it, summed up as it goes: counts and the first reasons, never outputs.

export type VerdictReason = { status: Exclude<Status, 'pass'>; reason: string; cause?: CauseClass };

/** `at` is where in the journal it was said: of several opinions of one weight the first one counts. */
type LocatedReason = VerdictReason & { at: number };

export type ClaimCounts = { held: number; failed: number; artifacts: number };

export class OutcomeCounts {
  private failures = new Map<VerdictReason['status'], LocatedReason>();
  private readonly issues = new Map<VerdictReason['status'], LocatedReason>();
  readonly counts = new Map<string, ClaimCounts>();

  addFailure(opinion: LocatedReason): void {
    keepEarliest(this.failures, opinion);
  }

  addIssue(opinion: LocatedReason): void {
    keepEarliest(this.issues, opinion);
  }

  addClaim(target: string, add: Partial<ClaimCounts>): void {
    const { held, failed, artifacts } = this.counts.get(target) ?? { held: 0, failed: 0, artifacts: 0 };
    this.counts.set(target, {
      held: held + (add.held ?? 0),
      failed: failed + (add.failed ?? 0),
      artifacts: artifacts + (add.artifacts ?? 0),
    });
  }

  /** A failure that the node around it tolerates does not count; what was asserted and reported does. */
  dropFailures(): void {
    this.failures = new Map();
  }

  add(other: OutcomeCounts): void {
    for (const said of other.failures.values()) this.addFailure(said);
    for (const said of other.issues.values()) this.addIssue(said);
    for (const [target, counts] of other.counts) this.addClaim(target, counts);
  }

  listReasons(): VerdictReason[] {
    const inOrder = (said: Iterable<LocatedReason>): LocatedReason[] => [...said].sort((a, b) => a.at - b.at);
    return [...inOrder(this.failures.values()), ...inOrder(this.issues.values())];
  }
}

function keepEarliest(known: Map<VerdictReason['status'], LocatedReason>, reason: LocatedReason): void {
  const before = known.get(reason.status);
  if (!before || reason.at < before.at) known.set(reason.status, reason);
}
