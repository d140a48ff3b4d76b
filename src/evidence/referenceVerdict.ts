// What the reference of a format would say of the same run, where its rules are softer than ours: failures that nobody marked are
// passed over, nobody counts how many branches succeed, and a command that was ended by a signal, or that exited with 0 when its
// time was over, has succeeded.
import { withoutAttempt } from '../engine/runPath.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';

type NodeOutcome = {
  /** Something in it failed by our rules. */
  failed: boolean;
  /** What the reference minds. */
  failure?: string | undefined;
  /** What it would mind, had nobody passed over it. */
  toleratedFailure?: string | undefined;
  /** The same of something that was stopped, which is passed over only where branches meet. */
  stoppedFailure?: string | undefined;
};

export class ReferenceVerdict {
  private readonly open = new Map<string, NodeOutcome>();
  private readonly run: NodeOutcome = { failed: false };
  /** What was tried again only by our rules: the reference had its result before. */
  private readonly settledVisits: string[] = [];
  /** Tries that failed and after which nothing was tried yet: the next one, or a repair. */
  private readonly waiting = new Map<string, string>();

  readLine(line: JournalLine): void {
    if (line.t === 'begin') this.continueTries(line);
    if (line.t === 'begin' && !this.isSettled(line.path)) this.open.set(line.path, { failed: false });
    if (line.t === 'end' && line.path !== '') this.endNode(line);
  }

  /** Why it would have failed; undefined when it would have passed. */
  get failure(): string | undefined {
    // Nothing comes after a try that ended the run.
    return this.run.failure ?? [...this.waiting.values()][0];
  }

  private continueTries({ path, attempt }: BeginLine): void {
    if (this.waiting.size === 0) return;
    for (const tried of this.waiting.keys()) {
      const isNext = attempt > 0 && withoutAttempt(path) === withoutAttempt(tried);
      if (isNext || path.startsWith(`${tried}/`)) this.waiting.delete(tried);
    }
  }

  private endNode(line: EndLine): void {
    const inside = this.open.get(line.path);
    this.open.delete(line.path);
    if (!inside) return;
    // A value that cannot be filled in ends the whole of it there, whatever may be passed over.
    if (line.error?.code === 'exec.unbound') this.run.failure ??= `${withoutAttempt(line.path)}: ${line.error.message}`;
    if (line.ok && !inside.failed) return;
    const reason = referenceReason(line, inside);
    if (line.retried && reason !== undefined) {
      this.waiting.set(line.path, reason);
      return;
    }
    const around = findOpenAncestor(line.path, this.open) ?? this.run;
    around.failed = true;
    if (line.retried) this.settledVisits.push(withoutAttempt(line.path));
    else if (line.tolerated || line.noted) {
      around.toleratedFailure ??= reason;
      if (!line.ok) around.stoppedFailure ??= inside.failure ?? inside.stoppedFailure;
    } else around.failure ??= reason;
  }

  private isSettled(path: string): boolean {
    return this.settledVisits.some((visit) => path.startsWith(`${visit}@`) || path.startsWith(`${visit}/`));
  }
}

/** Why it has failed by the rules of the reference. */
function referenceReason({ path, ok, error, output }: EndLine, inside: NodeOutcome): string | undefined {
  const { status, quorum } = Object(output) as { status?: unknown; quorum?: { reach?: unknown } };
  if (inside.failure !== undefined) return inside.failure;
  if (quorum?.reach !== undefined) return inside.toleratedFailure;
  // What failed of something in it fails for the reference only when that did: here, when that ended the whole run.
  if (inside.failed) return !ok && status === 'fail' ? inside.stoppedFailure : undefined;
  return ok || passesInReference(error, output) ? undefined : `${withoutAttempt(path)}: ${error?.message}`;
}

function passesInReference(error: EndLine['error'], output: unknown): boolean {
  const { exitCode } = Object(output) as { exitCode?: unknown };
  if (error?.code === 'command.signalled' || error?.code === 'group.too_few') return true;
  return error?.code === 'command.timed_out' && exitCode === 0;
}

/** What is open for the nearest node around a path that is still open. */
export function findOpenAncestor<T>(path: string, open: ReadonlyMap<string, T>): T | undefined {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const found = open.get(path.slice(0, at));
    if (found !== undefined) return found;
  }
  return undefined;
}
