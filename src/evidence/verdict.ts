// What a run proves, judged from its journal alone. Nothing but evaluated assertions makes a pass; unknown is never green.

import { worseStatus } from '../engine/plan.js';
import { withoutAttempt } from '../engine/runPath.js';
import type { Status } from '../recipe/recipe.js';
import { type CauseClass, failureTable } from './failure.js';
import { type IssuePolicy, issuePolicy } from './issuePolicy.js';
import type { BeginLine, EndLine, JournalLine, RunLine } from './models/journalLine.js';
import { openAbove } from './openAbove.js';
import { cutShort, opinionsOf, type Proof, proofOf, reasonToPass } from './opinions.js';
import { ReferenceVerdict } from './referenceVerdict.js';
import { Tally } from './tally.js';

export type { Proof } from './opinions.js';

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

type Open = { begin: BeginLine; inside?: Tally };
type Closing = Pick<EndLine, 'status' | 'error' | 'signal'>;

/** Sees a journal line by line and keeps only what the verdict needs; it can be asked at any time. */
export class Judge {
  run: RunLine | undefined;
  closing: EndLine | undefined;
  private policy: IssuePolicy = issuePolicy(undefined);
  private readonly open = new Map<string, Open>();
  private readonly settled = new Tally();
  /** Tries that failed and whose next one has not begun. */
  private readonly waiting = new Map<string, Tally>();
  private tested = false;
  private readonly reference = new ReferenceVerdict();

  see(line: JournalLine): void {
    if (this.run?.judged_as) this.reference.see(line);
    if (line.t === 'begin') this.begin(line);
    else if (line.t === 'run') this.opening(line);
    else if (line.path === '') this.closing ??= line;
    else this.end(line);
  }

  verdict(closing: Closing | undefined = this.closing): Verdict {
    const tally = new Tally();
    for (const part of [this.settled, ...this.waiting.values()]) tally.add(part);
    for (const { inside } of this.open.values()) if (inside) tally.add(inside);
    const found = (this.run?.targets ?? []).map((target) => proofOf(target, tally.counts.get(target.id)));
    // Assertions that never came to be evaluated might not have held.
    const proof = closing && !closing.signal ? found : found.map(cutShort);
    const inFlight = [...this.open.keys()].map(withoutAttempt);
    const substance = { isOpened: this.run !== undefined, tested: this.tested };
    const opinions = opinionsOf({
      tally,
      closing,
      inFlight,
      proof,
      allowBlocked: this.run?.allow_blocked === true,
      ...substance,
    });
    const status = opinions.reduce<Status>((worst, opinion) => worseStatus(worst, opinion.status), 'pass');
    const deciding = opinions.find((opinion) => opinion.status === status);
    const verdict: Verdict = { status, reason: deciding?.reason ?? reasonToPass(proof), proof };
    if (deciding?.cause) verdict.cause_class = deciding.cause;
    if (closing?.signal) verdict.signal = closing.signal;
    if (inFlight.length > 0) verdict.interruptedAt = inFlight;
    return this.run?.judged_as ? this.both(verdict, closing) : verdict;
  }

  private both(verdict: Verdict, closing: Closing | undefined): Verdict {
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
    if (!passes || closing.status !== 'pass' || !this.tested) return both;
    const { cause_class: _, ...rest } = both;
    return { ...rest, status: 'pass', reason: `the reference passes over it: ${verdict.reason}` };
  }

  private opening(line: RunLine): void {
    this.run ??= line;
    this.policy = issuePolicy(this.run.fail_on_unexpected);
  }

  private begin(line: BeginLine): void {
    this.open.set(line.path, { begin: line });
    if (line.attempt > 0) this.waiting.delete(withoutAttempt(line.path));
  }

  private end(line: EndLine): void {
    const node = this.open.get(line.path);
    if (!node) return;
    this.open.delete(line.path);
    const { begin } = node;
    if (begin.fallible && begin.decision?.skip === undefined) this.tested = true;
    // What ran inside a try that is tried again does not count.
    if (line.retried) {
      const own = new Tally();
      this.weigh(own, begin, { ...line, seq: Number.POSITIVE_INFINITY });
      this.waiting.set(withoutAttempt(line.path), own);
      return;
    }
    const says = node.inside !== undefined || this.waiting.size > 0 || hasSaying(line);
    if (!says) return;
    const inside = node.inside ?? new Tally();
    this.abandon(line.path, inside);
    if (line.tolerated) inside.forgive();
    this.weigh(inside, begin, line);
    this.tallyAround(line.path).add(inside);
  }

  // A try whose next one never began: its recovery failed, or the node around it was over.
  private abandon(around: string, tally: Tally): void {
    for (const [visit, tried] of this.waiting) {
      if (!visit.startsWith(`${around}/`)) continue;
      tally.add(tried);
      this.waiting.delete(visit);
    }
  }

  private tallyAround(path: string): Tally {
    const around = openAbove(path, this.open);
    if (!around) return this.settled;
    around.inside ??= new Tally();
    return around.inside;
  }

  private weigh(tally: Tally, begin: BeginLine, line: EndLine): void {
    const nodeId = withoutAttempt(line.path);
    if (!line.ok && !line.tolerated) {
      const cause = line.error?.cause_class ?? 'unknown';
      const reason = `${nodeId}: ${line.error?.message ?? 'failed'}`;
      tally.fail({ at: line.seq, status: failsBy(begin, cause) ? 'fail' : 'unknown', cause, reason });
    }
    for (const { proofTarget, held } of line.asserts ?? [])
      if (proofTarget !== undefined) tally.count(proofTarget, held ? { held: 1 } : { failed: 1 });
    for (const artifact of line.artifacts ?? []) {
      // A log is no picture of the product, and neither is what was only kept to find out what went wrong.
      if (artifact.type === 'log' || artifact.category === 'diagnostic') continue;
      const isOwn = artifact.nodeId === undefined || artifact.nodeId === nodeId;
      // A video that was stopped by this node belongs to the claim it shows.
      for (const target of claimsOf(isOwn ? begin : artifact)) tally.count(target, { artifacts: 1 });
    }
    for (const issue of line.issues ?? []) {
      if (this.policy.dispositionOf(issue) !== 'blocking') continue;
      const { status, cause } = failureTable.assertion;
      const reason = `${nodeId}: unexpected ${issue.level} from ${issue.source}: ${issue.message}`;
      tally.report({ at: line.seq, status, cause, reason });
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

function hasSaying({ ok, asserts, artifacts, issues }: EndLine): boolean {
  return !ok || asserts !== undefined || artifacts !== undefined || issues !== undefined;
}

export type Judged = { verdict: Verdict; run?: RunLine; closing?: EndLine };

export function judge(lines: Iterable<JournalLine>): Judged {
  const judging = new Judge();
  for (const line of lines) judging.see(line);
  const { run, closing } = judging;
  return { verdict: judging.verdict(), ...(run ? { run } : {}), ...(closing ? { closing } : {}) };
}
