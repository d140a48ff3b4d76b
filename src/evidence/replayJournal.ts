// Checks whether the recorded run took a path that its recipe allows.

import type { Plan, Region } from '../engine/plan.js';
import { type RecordedEvent, type ReplayResult, replayRegion } from '../engine/replay.js';
import type { BeginLine, EndLine, JournalLine } from './models/journalLine.js';

/** Describes how the journal differs from the plan. Returns undefined when the plan and the recorded decisions lead to the same path. */
export function replayJournal(plan: Plan, lines: Iterable<JournalLine>): string | undefined {
  const recorder = new PathRecorder();
  for (const line of lines) recorder.readLine(line);
  return recorder.findDifference(plan);
}

/** Keeps only those parts of each line that the engine needs. */
export class PathRecorder {
  private readonly events: RecordedEvent[] = [];
  private readonly skippedPaths = new Set<string>();
  private runStatus: EndLine['status'];

  readLine(line: JournalLine): void {
    if (line.t === 'end' && line.path === '') this.runStatus = line.status;
    if (line.t === 'run' || line.path === '') return;
    if (line.t === 'begin' && line.decision?.skip !== undefined) this.skippedPaths.add(line.path);
    this.events.push(toRecordedEvent(line, this.skippedPaths));
    if (line.t === 'end') this.skippedPaths.delete(line.path);
  }

  findDifference({ main, teardown, limits }: Plan): string | undefined {
    const first = replayRegion(main, limits, this.events);
    const rest = this.events.slice(first.lines);
    const isStopped = first.difference !== undefined && this.runStatus !== 'pass' && isPartOf(teardown, rest[0]);
    if (first.difference !== undefined && !isStopped) return describeDifference(first, rest[0]);
    if (this.runStatus === 'pass' && first.done?.status !== 'pass')
      return 'the journal says that the run passed, but its path does not reach an end that passes';
    const last: ReplayResult = teardown ? replayRegion(teardown, limits, rest) : { lines: 0 };
    if (last.difference !== undefined) return describeDifference(last, rest[last.lines]);
    return last.lines === rest.length ? undefined : `the node ${rest[last.lines]?.path} ran after the end of the recipe`;
  }
}

// A stopped node may fail before the nodes inside it end, and nodes that never began have no lines.
function describeDifference({ difference }: ReplayResult, line: RecordedEvent | undefined): string | undefined {
  const isStopped = line?.t === 'end' && line.status !== 'pass' && line.status !== 'skip';
  return isStopped ? undefined : difference;
}

// A run that was stopped at any node continues with its teardown.
function isPartOf(region: Region | undefined, line: RecordedEvent | undefined): boolean {
  if (!region || region.kind === 'each' || !line) return false;
  const [topStep = ''] = line.path.split('/');
  return region.nodes.has(topStep.replace(/(#\d+)?(@\d+)?$/, ''));
}

function toRecordedEvent(line: BeginLine | EndLine, skippedPaths: ReadonlySet<string>): RecordedEvent {
  const { path } = line;
  if (line.t === 'begin') {
    const { skip, refused, items } = line.decision ?? {};
    return { t: 'begin', path, runs: skip === undefined && refused !== true, items };
  }
  return { t: 'end', path, status: skippedPaths.has(path) ? 'skip' : statusOf(line), final: line.final, ...line.decision };
}

function statusOf({ ok, error }: EndLine): 'pass' | 'fail' | 'unknown' {
  if (ok) return 'pass';
  return error?.cause_class === 'subject' ? 'fail' : 'unknown';
}
