// Whether a journal tells a run that its recipe could have taken.
import type { Plan, Region } from '../engine/plan.js';
import { type RecordedEvent, type ReplayResult, replayRegion } from '../engine/replay.js';
import type { BeginLine, EndLine, JournalLine } from './journal.js';

/** Undefined when the recorded path follows from the plan and the recorded decisions. */
export function replayJournal(plan: Plan, lines: Iterable<JournalLine>): string | undefined {
  const recorder = new PathRecorder();
  for (const line of lines) recorder.readLine(line);
  return recorder.findDifference(plan);
}

/** Keeps of each line only what the engine is told. */
export class PathRecorder {
  private readonly recorded: RecordedEvent[] = [];
  private readonly skipped = new Set<string>();
  private closing: EndLine['status'];

  readLine(line: JournalLine): void {
    if (line.t === 'end' && line.path === '') this.closing = line.status;
    if (line.t === 'run' || line.path === '') return;
    if (line.t === 'begin' && line.decision?.skip !== undefined) this.skipped.add(line.path);
    this.recorded.push(toRecorded(line, this.skipped));
    if (line.t === 'end') this.skipped.delete(line.path);
  }

  findDifference({ main, teardown, limits }: Plan): string | undefined {
    const first = replayRegion(main, limits, this.recorded);
    const rest = this.recorded.slice(first.lines);
    const isStopped = first.differs !== undefined && this.closing !== 'pass' && isPartOf(teardown, rest[0]);
    if (first.differs !== undefined && !isStopped) return describeDifference(first, rest[0]);
    if (this.closing === 'pass' && first.done?.status !== 'pass')
      return 'the run says that it passed, but it had not come to its end';
    const last: ReplayResult = teardown ? replayRegion(teardown, limits, rest) : { lines: 0 };
    if (last.differs !== undefined) return describeDifference(last, rest[last.lines]);
    return last.lines === rest.length ? undefined : `${rest[last.lines]?.path} ran after the end`;
  }
}

// A node that is stopped may fail before all of what it runs has ended, and nothing is on record of what never began.
function describeDifference({ differs }: ReplayResult, line: RecordedEvent | undefined): string | undefined {
  const isCut = line?.t === 'end' && line.status !== 'pass' && line.status !== 'skip';
  return isCut ? undefined : differs;
}

// After a run was stopped it goes on with cleaning up, wherever it was.
function isPartOf(region: Region | undefined, line: RecordedEvent | undefined): boolean {
  if (!region || region.kind === 'each' || !line) return false;
  const [first = ''] = line.path.split('/');
  return region.nodes.has(first.replace(/(#\d+)?(@\d+)?$/, ''));
}

function toRecorded(line: BeginLine | EndLine, skipped: ReadonlySet<string>): RecordedEvent {
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
