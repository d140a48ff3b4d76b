// What the reference of a format would say of the same run, where its rules are softer than ours: failures that nobody marked are
// passed over, and a command that was ended by a signal, or that exited with 0 when its time was over, has succeeded.
import { withoutAttempt } from '../graph/runPath.js';
import type { EndLine, JournalLine } from './models/journalLine.js';
import { openAbove } from './openAbove.js';

/** `failed`: something in it did; `counts`: and the reference minds. */
type Inside = { failed: boolean; counts?: string | undefined };

export class ReferenceVerdict {
  private readonly open = new Map<string, Inside>();
  private readonly whole: Inside = { failed: false };

  see(line: JournalLine): void {
    if (line.t === 'begin') this.open.set(line.path, { failed: false });
    if (line.t === 'end' && line.path !== '') this.end(line);
  }

  /** Why it would have failed; undefined when it would have passed. */
  get failure(): string | undefined {
    return this.whole.counts;
  }

  private end(line: EndLine): void {
    const inside = this.open.get(line.path);
    this.open.delete(line.path);
    // A value that cannot be filled in ends the whole of it there, whatever may be passed over.
    if (line.error?.code === 'exec.unbound') this.whole.counts ??= `${withoutAttempt(line.path)}: ${line.error.message}`;
    if (!inside || line.retried || (line.ok && !inside.failed)) return;
    const around = openAbove(line.path, this.open) ?? this.whole;
    around.failed = true;
    if (line.tolerated || line.noted) return;
    // What failed of something in it fails for the reference only when that did.
    const own = inside.failed || line.ok || passesThere(line) ? undefined : line.error?.message;
    const reason = inside.counts ?? (own === undefined ? undefined : `${withoutAttempt(line.path)}: ${own}`);
    around.counts ??= reason;
  }
}

function passesThere({ error, output }: EndLine): boolean {
  const { exitCode } = Object(output) as { exitCode?: unknown };
  return error?.code === 'command.signalled' || (error?.code === 'command.timed_out' && exitCode === 0);
}
