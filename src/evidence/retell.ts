// The journal in the words of the protocol: its trace and its issues on the way to their files, the rest summed up.
import type { AtomicFile, FileDigest } from '../system/files/atomicFile.js';
import type { CauseClass } from './failure.js';
import { type Issue, IssueLog, issuesFile } from './issueLog.js';
import { followJournal } from './journal.js';
import { ListWriter } from './listWriter.js';
import type { Artifact, JournalLine, RunLine } from './models/journalLine.js';
import type { TraceEntryJson } from './models/trace.js';
import type { PackageParts, PackageReview } from './package.js';
import { onlyDigest, type PackageSink } from './packageSink.js';
import type { Counts, Summary } from './summary.js';
import { fatesIn, type TraceEntry, Tracer } from './trace.js';
import { Judge } from './verdict.js';

export type Retold = {
  judge: Judge;
  run: RunLine | undefined;
  counts: Counts;
  times: Pick<Summary, 'startedAt' | 'endedAt' | 'durationMs'>;
  captured: Artifact[];
  issues: readonly Issue[];
  moreIssues: number;
  files: Map<string, FileDigest>;
  /** Where the chain of the journal breaks. */
  problem: string | undefined;
  review: PackageReview | undefined;
};

type Parts = Pick<PackageParts, 'journal' | 'inPlace' | 'hostFailure' | 'review' | 'recipe'>;

export function retell({ journal, inPlace = false, hostFailure, ...parts }: Parts, sink: PackageSink): Retold {
  // A file in its place is digested as it lies there, which is quicker than line by line.
  const lying = inPlace ? journal.digest?.() : undefined;
  const file = inPlace ? onlyDigest() : sink.open('journal.jsonl');
  // A run in which nothing failed, which is most of them, is gone through once.
  const fates = journal.containsText?.('"ok":false') === false ? new Map() : fatesIn(journal);
  const telling = new Telling(sink);
  const review = parts.review?.(parts.recipe);
  const tracer = new Tracer(fates, (entry) => {
    telling.tell(entry);
    review?.see(entry as TraceEntryJson);
  });
  const { problem } = followJournal(lying ? journal : copied(journal, file), (line) => {
    telling.see(line);
    tracer.see(line);
  });
  const files = new Map([['journal.jsonl', lying ?? file.close()]]);
  const { judge, times } = telling;
  tracer.end(times.endedAt, judge.closing ? undefined : hostFailure);
  for (const [path, digest] of telling.close()) files.set(path, digest);
  const { counts, captured, issues } = telling;
  const { issues: listed, more: moreIssues } = issues;
  return { judge, run: judge.run, counts, times, captured, issues: listed, moreIssues, files, problem, review };
}

// All of it, also when whoever reads it stops where the chain breaks.
function* copied(journal: Iterable<string>, file: AtomicFile): Generator<string, void> {
  const lines = journal[Symbol.iterator]();
  let line = lines.next();
  const copy = (): void => {
    file.write(`${line.value}\n`);
    line = lines.next();
  };
  try {
    while (!line.done) {
      const text = line.value;
      copy();
      yield text;
    }
  } finally {
    while (!line.done) copy();
  }
}

class Telling {
  readonly judge = new Judge();
  readonly captured: Artifact[] = [];
  readonly counts: Counts = { total: 0, failed: 0, causes: { subject: 0, harness: 0, environment: 0, unknown: 0 } };
  readonly times = { startedAt: '', endedAt: '', durationMs: 0 };
  private trace: ListWriter | undefined;
  private log: IssueLog | undefined;
  private issuesList: ListWriter | undefined;

  constructor(private readonly sink: PackageSink) {}

  see(line: JournalLine): void {
    this.judge.see(line);
    this.times.startedAt ||= line.at;
    this.times.endedAt = line.at;
    if (line.t === 'end' && line.path === '') this.times.durationMs ||= line.ms;
    if (line.t === 'end' && line.artifacts) this.captured.push(...line.artifacts);
  }

  tell(entry: TraceEntry): void {
    this.entries.write(entry);
    this.counts.total++;
    if (!entry.ok) {
      const cause: CauseClass = entry.cause_class ?? 'unknown';
      this.counts.failed++;
      this.counts.causes[cause]++;
    }
    this.issues.see(entry);
  }

  close(): [path: string, digest: FileDigest][] {
    const trace = this.entries.close();
    const issues = this.issuesList?.close();
    return [['trace.json', trace], ...(issues ? [[issuesFile, issues] as [string, FileDigest]] : [])];
  }

  // The opening line, which comes before every entry, says whether there is something to be told about the runner.
  private get entries(): ListWriter {
    const runner = this.judge.run?.runner;
    const around = (entries: readonly unknown[]): unknown => (runner ? { metadata: { runner }, entries } : entries);
    this.trace ??= new ListWriter(this.sink.open('trace.json'), around);
    return this.trace;
  }

  get issues(): IssueLog {
    this.log ??= new IssueLog(this.judge.run?.fail_on_unexpected, (issue) => {
      this.issuesList ??= new ListWriter(this.sink.open(issuesFile));
      this.issuesList.write(issue);
    });
    return this.log;
  }
}
