// What the reference of a format would say of the same run, where its rules are softer than ours: failures that nobody marked are
// passed over, nobody counts how many branches succeed, and a command that was ended by a signal, or that exited with 0 when its
// time was over, has succeeded.
import { withoutAttempt } from '../engine/runPath.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';
import { openAbove } from './openAbove.js';

type Inside = {
  /** Something in it failed by our rules. */
  failed: boolean;
  /** What the reference minds. */
  counts?: string | undefined;
  /** What it would mind, had nobody passed over it. */
  soft?: string | undefined;
  /** The same of something that was stopped, which is passed over only where branches meet. */
  stopped?: string | undefined;
};

export class ReferenceVerdict {
  private readonly open = new Map<string, Inside>();
  private readonly whole: Inside = { failed: false };
  /** What was tried again only by our rules: the reference had its result before. */
  private readonly over: string[] = [];
  /** Tries that failed and after which nothing was tried yet: the next one, or a repair. */
  private readonly waiting = new Map<string, string>();

  see(line: JournalLine): void {
    if (line.t === 'begin') this.goOn(line);
    if (line.t === 'begin' && !this.isOver(line.path)) this.open.set(line.path, { failed: false });
    if (line.t === 'end' && line.path !== '') this.end(line);
  }

  /** Why it would have failed; undefined when it would have passed. */
  get failure(): string | undefined {
    // Nothing comes after a try that ended the run.
    return this.whole.counts ?? [...this.waiting.values()][0];
  }

  private goOn({ path, attempt }: BeginLine): void {
    if (this.waiting.size === 0) return;
    for (const tried of this.waiting.keys()) {
      const isNext = attempt > 0 && withoutAttempt(path) === withoutAttempt(tried);
      if (isNext || path.startsWith(`${tried}/`)) this.waiting.delete(tried);
    }
  }

  private end(line: EndLine): void {
    const inside = this.open.get(line.path);
    this.open.delete(line.path);
    if (!inside) return;
    // A value that cannot be filled in ends the whole of it there, whatever may be passed over.
    if (line.error?.code === 'exec.unbound') this.whole.counts ??= `${withoutAttempt(line.path)}: ${line.error.message}`;
    if (line.ok && !inside.failed) return;
    const reason = reasonOf(line, inside);
    if (line.retried && reason !== undefined) {
      this.waiting.set(line.path, reason);
      return;
    }
    const around = openAbove(line.path, this.open) ?? this.whole;
    around.failed = true;
    if (line.retried) this.over.push(withoutAttempt(line.path));
    else if (line.tolerated || line.noted) {
      around.soft ??= reason;
      if (!line.ok) around.stopped ??= inside.counts ?? inside.stopped;
    } else around.counts ??= reason;
  }

  private isOver(path: string): boolean {
    return this.over.some((visit) => path.startsWith(`${visit}@`) || path.startsWith(`${visit}/`));
  }
}

/** Why it has failed by the rules of the reference. */
function reasonOf({ path, ok, error, output }: EndLine, inside: Inside): string | undefined {
  const { status, quorum } = Object(output) as { status?: unknown; quorum?: { reach?: unknown } };
  if (inside.counts !== undefined) return inside.counts;
  if (quorum?.reach !== undefined) return inside.soft;
  // What failed of something in it fails for the reference only when that did: here, when that ended the whole run.
  if (inside.failed) return !ok && status === 'fail' ? inside.stopped : undefined;
  return ok || passesThere(error, output) ? undefined : `${withoutAttempt(path)}: ${error?.message}`;
}

function passesThere(error: EndLine['error'], output: unknown): boolean {
  const { exitCode } = Object(output) as { exitCode?: unknown };
  if (error?.code === 'command.signalled' || error?.code === 'group.too_few') return true;
  return error?.code === 'command.timed_out' && exitCode === 0;
}
