// The verdict of a format's reference runner on the same run. Its rules are less strict than ours: it ignores failures that the recipe
// does not mark, it does not count how many branches succeed, and a command succeeds even when a signal ended it, or when it exits
// with 0 after its timeout.

import { findOpenAncestor, withoutAttempt } from '../engine/runPath.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';

type NodeOutcome = {
  /** A node inside failed by our rules. */
  failed: boolean;
  /** The failure by the rules of the reference. */
  failure?: string | undefined;
  /** The failure by the rules of the reference, if the recipe did not tolerate it. */
  toleratedFailure?: string | undefined;
  /** Like `toleratedFailure`, for a node that was stopped. The reference ignores it only where branches meet. */
  stoppedFailure?: string | undefined;
};

export class ReferenceVerdict {
  private readonly open = new Map<string, NodeOutcome>();
  private readonly run: NodeOutcome = { failed: false };
  /** Visits that we retried although the reference had its result already. */
  private readonly settledVisits: string[] = [];
  /** Failed attempts after which neither a retry nor a recovery has begun, with the reason of the failure. */
  private readonly failedAttempts = new Map<string, string>();

  readLine(line: JournalLine): void {
    if (line.t === 'begin') this.removeContinued(line);
    if (line.t === 'begin' && !this.isSettled(line.path)) this.open.set(line.path, { failed: false });
    if (line.t === 'end' && line.path !== '') this.endNode(line);
  }

  /** Why the run fails by the rules of the reference, or undefined when it passes. */
  get failure(): string | undefined {
    // A failed attempt without a successor ended the run.
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
    const inside = this.open.get(line.path);
    this.open.delete(line.path);
    if (!inside) return;
    // A reference without a value ends the whole run of the reference, even where failures are tolerated.
    if (line.error?.code === 'exec.unbound') this.run.failure ??= `${withoutAttempt(line.path)}: ${line.error.message}`;
    if (line.ok && !inside.failed) return;
    const reason = referenceReason(line, inside);
    if (line.retried && reason !== undefined) {
      this.failedAttempts.set(line.path, reason);
      return;
    }
    const parent = findOpenAncestor(line.path, this.open) ?? this.run;
    parent.failed = true;
    if (line.retried) this.settledVisits.push(withoutAttempt(line.path));
    else if (line.tolerated || line.noted) {
      parent.toleratedFailure ??= reason;
      if (!line.ok) parent.stoppedFailure ??= inside.failure ?? inside.stoppedFailure;
    } else parent.failure ??= reason;
  }

  private isSettled(path: string): boolean {
    return this.settledVisits.some((visit) => path.startsWith(`${visit}@`) || path.startsWith(`${visit}/`));
  }
}

/** Why the node failed by the rules of the reference. */
function referenceReason({ path, ok, error, output }: EndLine, inside: NodeOutcome): string | undefined {
  const { status, quorum } = Object(output) as { status?: unknown; quorum?: { reach?: unknown } };
  if (inside.failure !== undefined) return inside.failure;
  if (quorum?.reach !== undefined) return inside.toleratedFailure;
  // The failure of a node inside counts for the reference only when it ended the whole run.
  if (inside.failed) return !ok && status === 'fail' ? inside.stoppedFailure : undefined;
  return ok || passesInReference(error, output) ? undefined : `${withoutAttempt(path)}: ${error?.message}`;
}

function passesInReference(error: EndLine['error'], output: unknown): boolean {
  const { exitCode } = Object(output) as { exitCode?: unknown };
  if (error?.code === 'command.signalled' || error?.code === 'group.too_few') return true;
  return error?.code === 'command.timed_out' && exitCode === 0;
}
