// Whether a journal tells a run that its recipe could have taken.
import type { Plan } from '../graph/plan.js';
import { type Recorded, replay } from '../graph/replay.js';
import type { BeginLine, EndLine, JournalLine } from './journal.js';

/** Undefined when the recorded path follows from the plan and the recorded decisions. */
export function replayJournal({ main, teardown, limits }: Plan, lines: readonly JournalLine[]): string | undefined {
  const nodes = lines.filter((line): line is BeginLine | EndLine => line.t !== 'run' && line.path !== '');
  const skipped = new Set(nodes.flatMap((line) => (line.t === 'begin' && line.decision?.skip !== undefined ? [line.path] : [])));
  const recorded = nodes.map((line) => toRecorded(line, skipped));
  const first = replay(main, limits, recorded);
  if (first.differs !== undefined) return first.differs;
  const rest = recorded.slice(first.lines);
  if (!teardown) return rest.length === 0 ? undefined : `${rest[0]?.path} ran after the end`;
  return replay(teardown, limits, rest).differs;
}

function toRecorded(line: BeginLine | EndLine, skipped: ReadonlySet<string>): Recorded {
  const { path } = line;
  if (line.t === 'begin') {
    const { skip, refused, items } = line.decision ?? {};
    return { t: 'begin', path, runs: skip === undefined && refused !== true, items };
  }
  return { t: 'end', path, status: skipped.has(path) ? 'skip' : statusOf(line), final: line.final, ...line.decision };
}

function statusOf({ ok, error }: EndLine): 'pass' | 'fail' | 'unknown' {
  if (ok) return 'pass';
  return error?.cause_class === 'subject' ? 'fail' : 'unknown';
}
