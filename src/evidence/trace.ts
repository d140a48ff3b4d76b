// The trace: what the journal says of each node, in the protocol's words and in the order the nodes ended.
import { withoutAttempt } from '../engine/runPath.js';
import type { CauseClass } from './failure.js';
import type { Assert, BeginLine, EndLine, JournalLine, Reported } from './models/journalLine.js';
import { abandoned, finished, tolerate, unfinished } from './traceEntry.js';

export type TraceEntry = {
  nodeId: string;
  action: string;
  intent?: string;
  phase?: string;
  record?: string;
  proofTarget?: string;
  proves?: string[];
  artifacts?: string[];
  startedAt: string;
  endedAt: string;
  durationMs: number;
  ok: boolean;
  next?: string;
  /** Which of the edges that leave it fired, counted in the order of the document, for a node of a graph of edges. */
  fired?: number[];
  status?: string;
  output?: unknown;
  asserts?: Assert[];
  /** Unexpected logs; the summary says which of them count. */
  issues?: Reported[];
  tolerated?: { error: string; cause_class: CauseClass };
  /** Earlier tries of the same visit. */
  attempts?: TraceEntry[];
  /** What ran inside an earlier try. */
  entries?: TraceEntry[];
  error?: string;
  cause_class?: CauseClass;
  /** The node was in flight when the run was cut short. */
  unfinished?: true;
};

/** How the failed tries and the tolerated nodes of a journal ended, by path. */
export type Fates = ReadonlyMap<string, 'retried' | 'tolerated'>;

/** Looked up beforehand, so that what ran inside such a node can be written the moment it ends. */
export function fatesIn(texts: Iterable<string>): Fates {
  const fates = new Map<string, 'retried' | 'tolerated'>();
  for (const text of texts) {
    // Parsing every line twice would cost more than all the rest, and only what failed has such a fate.
    if (!text.includes('"ok":false')) continue;
    const { t, path, retried, tolerated } = parsed(text);
    if (t === 'end' && path !== undefined && (retried || tolerated)) fates.set(path, retried ? 'retried' : 'tolerated');
  }
  return fates;
}

function parsed(text: string): Partial<EndLine> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<EndLine>;
  } catch {
    // SyntaxError: a torn line, which the reader of the chain reports.
    return {};
  }
}

/** Turns lines into entries one by one. Only tries that are to stand inside a later entry are held. */
export class Tracer {
  private readonly begun = new Map<string, BeginLine>();
  /** What ran inside a try that will be tried again, by the path of the try. */
  private readonly inside = new Map<string, TraceEntry[]>();
  /** Failed tries of a visit that goes on. */
  private readonly earlier = new Map<string, TraceEntry[]>();

  constructor(
    private readonly fates: Fates,
    private readonly emit: (entry: TraceEntry) => void,
  ) {}

  see(line: JournalLine): void {
    if (line.t === 'begin') this.begun.set(line.path, line);
    const begin = line.t === 'end' ? this.begun.get(line.path) : undefined;
    if (line.t !== 'end' || !begin) return;
    const { path } = line;
    const visit = withoutAttempt(path);
    const entry = finished(begin, line);
    if (line.retried) {
      const ran = this.inside.get(path);
      this.inside.delete(path);
      this.earlier.set(visit, [...(this.earlier.get(visit) ?? []), ran ? { ...entry, entries: ran } : entry]);
    } else {
      this.giveUp(`${path}/`);
      entry.nodeId = visit;
      this.deliver(path, this.withAttempts(entry));
    }
    this.begun.delete(path);
  }

  /** What was in flight when the journal ended, and why that was, if the host knows. */
  end(last: string, why?: string): void {
    for (const begin of this.begun.values()) {
      const nodeId = withoutAttempt(begin.path);
      this.emit(this.withAttempts({ ...unfinished(begin, last, why), nodeId }));
    }
    this.begun.clear();
    this.giveUp('');
  }

  // The try after it never began: the recovery failed, or what is around it was over.
  private giveUp(below: string): void {
    for (const [visit, tries] of this.earlier) {
      if (!visit.startsWith(below)) continue;
      this.earlier.delete(visit);
      this.deliver(visit, abandoned(tries));
    }
  }

  private deliver(path: string, entry: TraceEntry): void {
    const { told, held } = this.placed(path, entry);
    if (held) held.push(told);
    else this.emit(told);
  }

  // What is tolerated around an entry is tolerated of it, up to a try that takes it along.
  private placed(path: string, entry: TraceEntry): { told: TraceEntry; held?: TraceEntry[] } {
    let told = entry;
    for (let at = path.lastIndexOf('/'); at > 0 && this.fates.size > 0; at = path.lastIndexOf('/', at - 1)) {
      const around = path.slice(0, at);
      // What recovers a failed try runs after it, not inside of it.
      const fate = this.begun.has(around) ? this.fates.get(around) : undefined;
      if (fate === 'tolerated') told = tolerate(told);
      if (fate === 'retried') return { told, held: this.insideOf(around) };
    }
    return { told };
  }

  private insideOf(around: string): TraceEntry[] {
    const held = this.inside.get(around) ?? [];
    this.inside.set(around, held);
    return held;
  }

  private withAttempts(entry: TraceEntry): TraceEntry {
    const attempts = this.earlier.get(entry.nodeId);
    if (!attempts) return entry;
    this.earlier.delete(entry.nodeId);
    entry.attempts = attempts;
    return entry;
  }
}
