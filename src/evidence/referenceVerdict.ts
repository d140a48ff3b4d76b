// Computes the verdict that a format's reference runner would give on the same run. The reference is less strict: it ignores failures
// that the recipe does not mark, does not count how many branches succeed, and accepts a command that a signal ended or that exits
// with 0 after its timeout.

import { findOpenAncestor, withoutAttempt } from '../engine/runPath.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';

/** The outcome of the children of a node, or of the run, so far. */
type NodeOutcome = {
  /** A child failed by our rules. */
  failed: boolean;
  /** The failure by the rules of the reference. */
  failure?: string | undefined;
  /** The failure by the rules of the reference, if the recipe did not tolerate it. */
  toleratedFailure?: string | undefined;
  /** Like `toleratedFailure`, for a child that was stopped. The reference ignores such a failure only where branches meet. */
  stoppedFailure?: string | undefined;
};

export class ReferenceVerdict {
  private readonly open = new Map<string, NodeOutcome>();
  private readonly run: NodeOutcome = { failed: false };
  /** Visits that we retried, although the reference already accepted the first attempt. */
  private readonly acceptedVisits: string[] = [];
  /** The reasons of failed attempts that no retry or recovery has followed so far, by run path. */
  private readonly failedAttempts = new Map<string, string>();

  readLine(line: JournalLine): void {
    if (line.t === 'begin') this.removeContinued(line);
    if (line.t === 'begin' && !this.isInAcceptedVisit(line.path)) this.open.set(line.path, { failed: false });
    if (line.t === 'end' && line.path !== '') this.endNode(line);
  }

  /** The reason why the run fails by the rules of the reference. Undefined when it passes. */
  get failure(): string | undefined {
    // A failed attempt that nothing followed ended the run.
    return this.run.failure ?? [...this.failedAttempts.values()][0];
  }

  private removeContinued({ path, attempt }: BeginLine): void {
    if (this.failedAttempts.size === 0) return;
    for (const failed of this.failedAttempts.keys()) {
      const isNext = attempt > 0 && withoutAttempt(path) === withoutAttempt(failed);
      if (isNext || path.startsWith(`${failed}/`)) this.failedAttempts.delete(failed);
    }
  }

  private endNode(line: EndLine): void {
    const children = this.open.get(line.path);
    this.open.delete(line.path);
    if (!children) return;
    // In the reference runner, a variable without a value ends the whole run, even where failures are tolerated.
    if (line.error?.code === 'exec.unbound') this.run.failure ??= `${withoutAttempt(line.path)}: ${line.error.message}`;
    if (line.ok && !children.failed) return;
    const reason = referenceReason(line, children);
    if (line.retried && reason !== undefined) {
      this.failedAttempts.set(line.path, reason);
      return;
    }
    const parent = findOpenAncestor(line.path, this.open) ?? this.run;
    parent.failed = true;
    if (line.retried) this.acceptedVisits.push(withoutAttempt(line.path));
    else if (line.tolerated || line.noted) {
      parent.toleratedFailure ??= reason;
      if (!line.ok) parent.stoppedFailure ??= children.failure ?? children.stoppedFailure;
    } else parent.failure ??= reason;
  }

  private isInAcceptedVisit(path: string): boolean {
    return this.acceptedVisits.some((visit) => path.startsWith(`${visit}@`) || path.startsWith(`${visit}/`));
  }
}

/** Returns the reason why a node failed by the rules of the reference. `children`: the outcome of the nodes inside it. */
function referenceReason({ path, ok, error, output }: EndLine, children: NodeOutcome): string | undefined {
  const { status, quorum } = Object(output) as { status?: unknown; quorum?: { reach?: unknown } };
  if (children.failure !== undefined) return children.failure;
  if (quorum?.reach !== undefined) return children.toleratedFailure;
  // For the reference, the failure of a child counts only when it ended the whole run.
  if (children.failed) return !ok && status === 'fail' ? children.stoppedFailure : undefined;
  return ok || passesInReference(error, output) ? undefined : `${withoutAttempt(path)}: ${error?.message}`;
}

function passesInReference(error: EndLine['error'], output: unknown): boolean {
  const { exitCode } = Object(output) as { exitCode?: unknown };
  if (error?.code === 'command.signalled' || error?.code === 'group.too_few') return true;
  return error?.code === 'command.timed_out' && exitCode === 0;
}
