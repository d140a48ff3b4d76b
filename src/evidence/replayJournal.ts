// Checks whether the run in a journal follows a path that its recipe allows.

import type { Plan, Region } from '../engine/plan.js';
import { type RecordedEvent, type ReplayResult, replayRegion } from '../engine/replay.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';

/** How the journal differs from the plan, or undefined when its path follows from the plan and the recorded decisions. */
export function replayJournal(plan: Plan, lines: Iterable<JournalLine>): string | undefined {
  const recorder = new PathRecorder();
  for (const line of lines) recorder.readLine(line);
  return recorder.findDifference(plan);
}

/** Keeps only what the engine needs of each line. */
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
      return 'the journal says that the run passed, but its path does not reach an end that passes';
    const last: ReplayResult = teardown ? replayRegion(teardown, limits, rest) : { lines: 0 };
    if (last.differs !== undefined) return describeDifference(last, rest[last.lines]);
    return last.lines === rest.length ? undefined : `${rest[last.lines]?.path} ran after the end`;
  }
}

// A stopped node may fail before the nodes inside it end, and nodes that never began have no lines.
function describeDifference({ differs }: ReplayResult, line: RecordedEvent | undefined): string | undefined {
  const isStopped = line?.t === 'end' && line.status !== 'pass' && line.status !== 'skip';
  return isStopped ? undefined : differs;
}

// A stopped run continues with its teardown, wherever it was.
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
