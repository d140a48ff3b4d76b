// Computes the verdict on a run from its journal alone. Only evaluated assertions prove a claim, and unknown is never a pass.

import { omitUndefined } from '../document/omitUndefined.js';
import { worseStatus } from '../engine/plan.js';
import { findOpenAncestor, withoutAttempt } from '../engine/runPath.js';
import type { Status } from '../recipe/recipe.js';
import { type CauseClass, failureTable } from './failureTable.js';
import { createIssuePolicy, type IssuePolicy } from './issues.js';
import type { BeginLine, EndLine, JournalLine, RunLine } from './models/journalLine.js';
import type { FailureKind } from './recipeError.js';
import { ReferenceVerdict } from './referenceVerdict.js';

export type Verdict = {
  status: Status;
  reason: string;
  cause_class?: CauseClass;
  proof: Proof[];
  signal?: string;
  interruptedAt?: string[];
  /** The verdicts by our rules (`honest`) and by those of the format's reference runner (`compat`). */
  verdicts?: { honest: Status; compat: Status };
};

/** `inner`: the outcomes of the nodes inside this one. */
type OpenNode = { begin: BeginLine; inner?: OutcomeCounts };
type ClosingLine = Pick<EndLine, 'status' | 'error' | 'signal'>;

/** Reads a journal line by line, and keeps only what the verdict needs. The caller may ask for the verdict at any time. */
export class VerdictBuilder {
  run: RunLine | undefined;
  closing: EndLine | undefined;
  private policy: IssuePolicy = createIssuePolicy(undefined);
  private readonly open = new Map<string, OpenNode>();
  private readonly finished = new OutcomeCounts();
  /** Failed attempts whose next attempt has not begun, by visit. */
  private readonly failedAttempts = new Map<string, OutcomeCounts>();
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
    const outcomes = new OutcomeCounts();
    for (const part of [this.finished, ...this.failedAttempts.values()]) outcomes.add(part);
    for (const { inner } of this.open.values()) if (inner) outcomes.add(inner);
    const claimProof = (this.run?.targets ?? []).map((target) => proofOf(target, outcomes.claims.get(target.id)));
    // In a run that was cut short, the assertions that were not evaluated might have failed.
    const proof = closing && !closing.signal ? claimProof : claimProof.map(revokeProof);
    const unfinished = [...this.open.keys()].map(withoutAttempt);
    const reasons = listVerdictReasons({
      outcomes,
      closing,
      unfinished,
      proof,
      allowBlocked: this.run?.allow_blocked === true,
      hasRunLine: this.run !== undefined,
      couldFail: this.couldFail,
    });
    const status = reasons.reduce<Status>((worst, reason) => worseStatus(worst, reason.status), 'pass');
    const deciding = reasons.find((reason) => reason.status === status);
    const verdict: Verdict = { status, reason: deciding?.reason ?? passReason(proof), proof };
    if (deciding?.cause) verdict.cause_class = deciding.cause;
    if (closing?.signal) verdict.signal = closing.signal;
    if (unfinished.length > 0) verdict.interruptedAt = unfinished;
    return this.run?.judged_as ? this.applyReference(verdict, closing) : verdict;
  }

  private applyReference(verdict: Verdict, closing: ClosingLine | undefined): Verdict {
    // The reference runner gives no verdict on a run that was stopped or cut short.
    const isComplete = closing !== undefined && !closing.signal && !closing.error && !verdict.interruptedAt;
    const passes = isComplete && this.reference.failure === undefined;
    const compat = passes ? 'pass' : verdict.status === 'pass' ? 'fail' : verdict.status;
    const withBoth = { ...verdict, verdicts: { honest: verdict.status, compat } as const };
    if (this.run?.judged_as !== 'compat') return withBoth;
    if (verdict.status === 'pass') {
      if (passes) return withBoth;
      const reason = `the reference runner fails the run: ${this.reference.failure}`;
      return { ...withBoth, status: 'fail', reason, cause_class: 'subject' };
    }
    if (!passes || closing.status !== 'pass' || !this.couldFail) return withBoth;
    const { cause_class: _, ...rest } = withBoth;
    return { ...rest, status: 'pass', reason: `the reference runner ignores this failure: ${verdict.reason}` };
  }

  private openRun(line: RunLine): void {
    this.run ??= line;
    this.policy = createIssuePolicy(this.run.fail_on_unexpected);
  }

  private beginNode(line: BeginLine): void {
    this.open.set(line.path, { begin: line });
    if (line.attempt > 0) this.failedAttempts.delete(withoutAttempt(line.path));
  }

  private endNode(line: EndLine): void {
    const node = this.open.get(line.path);
    if (!node) return;
    this.open.delete(line.path);
    const { begin } = node;
    if (begin.fallible && begin.decision?.skip === undefined) this.couldFail = true;
    // When an attempt is retried, the outcomes of the nodes inside it do not count.
    if (line.retried) {
      const ownCounts = new OutcomeCounts();
      this.countOutcome(ownCounts, begin, { ...line, seq: Number.POSITIVE_INFINITY });
      this.failedAttempts.set(withoutAttempt(line.path), ownCounts);
      return;
    }
    if (node.inner === undefined && this.failedAttempts.size === 0 && !affectsVerdict(line)) return;
    const outcomes = node.inner ?? new OutcomeCounts();
    this.addAbandonedAttempts(line.path, outcomes);
    if (line.tolerated) outcomes.dropFailures();
    this.countOutcome(outcomes, begin, line);
    this.countsOfParent(line.path).add(outcomes);
  }

  // The next attempt never began, because the recovery failed or the parent ended first. The failed attempt then counts.
  private addAbandonedAttempts(parent: string, outcomes: OutcomeCounts): void {
    for (const [visit, attempt] of this.failedAttempts) {
      if (!visit.startsWith(`${parent}/`)) continue;
      outcomes.add(attempt);
      this.failedAttempts.delete(visit);
    }
  }

  private countsOfParent(path: string): OutcomeCounts {
    const parent = findOpenAncestor(path, this.open);
    if (!parent) return this.finished;
    parent.inner ??= new OutcomeCounts();
    return parent.inner;
  }

  private countOutcome(outcomes: OutcomeCounts, begin: BeginLine, line: EndLine): void {
    const nodeId = withoutAttempt(line.path);
    if (!line.ok && !line.tolerated) {
      const cause = line.error?.cause_class ?? 'unknown';
      const reason = `${nodeId}: ${line.error?.message ?? 'failed'}`;
      outcomes.addFailure({ at: line.seq, status: isDefiniteFailure(begin, cause) ? 'fail' : 'unknown', cause, reason });
    }
    for (const { proofTarget, held } of line.asserts ?? [])
      if (proofTarget !== undefined) outcomes.addClaim(proofTarget, held ? { held: 1 } : { failed: 1 });
    for (const artifact of line.artifacts ?? []) {
      // Logs and diagnostics do not show the app under test.
      if (artifact.type === 'log' || artifact.category === 'diagnostic') continue;
      // A video that ends with this node may belong to the claim of another node.
      const isOwn = artifact.nodeId === undefined || artifact.nodeId === nodeId;
      for (const target of claimsOf(isOwn ? begin : artifact)) outcomes.addClaim(target, { artifacts: 1 });
    }
    for (const issue of line.issues ?? []) {
      if (this.policy.dispositionOf(issue) !== 'blocking') continue;
      const { status, cause } = failureTable.assertion;
      const reason = `${nodeId}: unexpected ${issue.level} from ${issue.source}: ${issue.message}`;
      outcomes.addIssue({ at: line.seq, status, cause, reason });
    }
  }
}

function claimsOf({ proofTarget, proves }: Pick<BeginLine, 'proofTarget' | 'proves'>): readonly string[] {
  return proves ?? (proofTarget === undefined ? [] : [proofTarget]);
}

// A precondition that does not hold is a definite failure, even when the environment is the cause.
function isDefiniteFailure({ action }: BeginLine, cause: CauseClass): boolean {
  return cause === 'subject' || (action === 'pre_condition' && cause === 'environment');
}

function affectsVerdict({ ok, asserts, artifacts, issues }: EndLine): boolean {
  return !ok || asserts !== undefined || artifacts !== undefined || issues !== undefined;
}

export type JudgedRun = { verdict: Verdict; run?: RunLine; closing?: EndLine };

export function judgeLines(lines: Iterable<JournalLine>): JudgedRun {
  const judge = new VerdictBuilder();
  for (const line of lines) judge.readLine(line);
  const { run, closing } = judge;
  return { verdict: judge.currentVerdict(), ...omitUndefined({ run, closing }) };
}

export type Proof = {
  id: string;
  claim: string;
  status: 'proven' | 'refuted' | 'unproven' | 'blocked';
  held: number;
  failed: number;
  artifacts: number;
  reason?: string;
};

type RunFacts = {
  outcomes: OutcomeCounts;
  closing: ClosingLine | undefined;
  unfinished: readonly string[];
  proof: readonly Proof[];
  hasRunLine: boolean;
  allowBlocked: boolean;
  /** At least one node that ran could have failed. */
  couldFail: boolean;
};

/** Lists the reasons why a run does not pass, the most important first. A run without reasons passes. */
function listVerdictReasons(facts: RunFacts): VerdictReason[] {
  return [...facts.outcomes.listReasons(), ...endingReasons(facts), ...claimReasons(facts), ...emptinessReasons(facts)];
}

function reasonFor(kind: FailureKind, reason: string): VerdictReason {
  return { status: failureTable[kind].status, cause: failureTable[kind].cause, reason };
}

function endingReasons({ closing, unfinished }: RunFacts): VerdictReason[] {
  if (!closing) {
    const reason = unfinished.length > 0 ? `interrupted at ${unfinished.join(', ')}` : 'interrupted before it ended';
    return [reasonFor('interrupted', reason)];
  }
  if (closing.signal) return [reasonFor('interrupted', `stopped by ${closing.signal}`)];
  if (closing.status === 'pass') return [];
  const { status = 'unknown', error } = closing;
  if (error) return [{ status, cause: error.cause_class, reason: error.message }];
  const reason = `the recipe ended with status ${status}`;
  return [status === 'fail' ? { status, cause: 'subject', reason } : { status, reason }];
}

function claimReasons({ proof, allowBlocked }: RunFacts): VerdictReason[] {
  return proof
    .filter(({ status }) => status !== 'proven' && !(allowBlocked && status === 'blocked'))
    .map(({ id, status, reason }) =>
      status === 'refuted'
        ? reasonFor('assertion', `${id} is refuted: ${reason}`)
        : { status: 'unknown', reason: `${id} is ${status}: ${reason}` },
    );
}

// A recipe without claims is a smoke test, which passes only if at least one node that ran could have failed.
function emptinessReasons({ hasRunLine, couldFail, proof }: RunFacts): VerdictReason[] {
  if (!hasRunLine) return [{ status: 'unknown', reason: 'the journal has no opening line' }];
  if (proof.length > 0 || couldFail) return [];
  return [{ status: 'unknown', reason: 'the recipe proves nothing: no executed node could have failed' }];
}

const noCounts: ClaimCounts = { held: 0, failed: 0, artifacts: 0 };

function proofOf(target: RunLine['targets'][number], { held, failed, artifacts } = noCounts): Proof {
  const proof = (status: Proof['status'], reason?: string): Proof => {
    const result: Proof = { id: target.id, claim: target.claim, status, held, failed, artifacts };
    if (reason) result.reason = reason;
    return result;
  };
  if (failed > 0) return proof('refuted', `${failed} of ${held + failed} assertions did not hold`);
  if (target.blocked !== undefined) return proof('blocked', target.blocked);
  if (held === 0) return proof('unproven', 'no assertion was evaluated for it');
  if (target.visible && artifacts === 0) return proof('unproven', 'it is visible in the UI, but no artifact shows it');
  return proof('proven');
}

/** Makes a proven claim unproven, because a run that was cut short proves no claim. */
function revokeProof(proof: Proof): Proof {
  if (proof.status !== 'proven') return proof;
  return { ...proof, status: 'unproven', reason: 'its assertions held until the run was cut short' };
}

function passReason(proof: readonly Proof[]): string {
  const proven = proof.filter(({ status }) => status === 'proven').length;
  return proof.length === 0 ? 'the recipe passed' : `${proven} of ${proof.length} claims proven`;
}

type VerdictReason = { status: Exclude<Status, 'pass'>; reason: string; cause?: CauseClass };

/** `at` is the position in the journal. Of several reasons with the same status, the earliest is reported. */
type LocatedReason = VerdictReason & { at: number };

type ClaimCounts = { held: number; failed: number; artifacts: number };

/** The outcomes of a part of a run: the earliest failures and issues, and the counts for each claim. */
class OutcomeCounts {
  private failures = new Map<VerdictReason['status'], LocatedReason>();
  private readonly issues = new Map<VerdictReason['status'], LocatedReason>();
  readonly claims = new Map<string, ClaimCounts>();

  addFailure(reason: LocatedReason): void {
    keepEarliest(this.failures, reason);
  }

  addIssue(reason: LocatedReason): void {
    keepEarliest(this.issues, reason);
  }

  addClaim(target: string, more: Partial<ClaimCounts>): void {
    const { held, failed, artifacts } = this.claims.get(target) ?? noCounts;
    this.claims.set(target, {
      held: held + (more.held ?? 0),
      failed: failed + (more.failed ?? 0),
      artifacts: artifacts + (more.artifacts ?? 0),
    });
  }

  /** Forgets the failures, because the recipe tolerates them. Assertions and issues still count. */
  dropFailures(): void {
    this.failures = new Map();
  }

  add(other: OutcomeCounts): void {
    for (const reason of other.failures.values()) this.addFailure(reason);
    for (const reason of other.issues.values()) this.addIssue(reason);
    for (const [target, counts] of other.claims) this.addClaim(target, counts);
  }

  listReasons(): VerdictReason[] {
    const inOrder = (reasons: Iterable<LocatedReason>): LocatedReason[] => [...reasons].sort((a, b) => a.at - b.at);
    return [...inOrder(this.failures.values()), ...inOrder(this.issues.values())];
  }
}

function keepEarliest(reasons: Map<VerdictReason['status'], LocatedReason>, reason: LocatedReason): void {
  const known = reasons.get(reason.status);
  if (!known || reason.at < known.at) reasons.set(reason.status, reason);
}
