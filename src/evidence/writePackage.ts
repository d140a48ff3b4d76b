// The evidence package: what a reviewer reads instead of running anything. Built from the recipe and its journal, never from memory.

import { omitUndefined } from '../document/omitUndefined.js';
import type { Status } from '../recipe/recipe.js';
import type { AtomicFile, FileDigest } from '../system/files/atomicFile.js';
import { resolveInside, sha256 } from '../system/files/files.js';
import type { Lines } from '../system/files/readLines.js';
import { mergeTreeChanges } from './commit.js';
import { digestOf } from './digest.js';
import type { CauseClass } from './exitCodes.js';
import { type Issue, IssueLog, issuesFile } from './issues.js';
import { followJournal } from './journal.js';
import type { Artifact, JournalLine, RunLine } from './models/journalLine.js';
import type { TraceEntryJson } from './models/traceModel.js';
import { isArtifactPath, listOwnFiles, reviewFile } from './packageFiles.js';
import {
  type Content,
  digestOnly,
  directorySink,
  memorySink,
  type PackageSink,
  wholeOrNothing,
  writeFile,
} from './packageSink.js';
import { buildSummary, type Summary, sealSummary, type TraceCounts, type UnsealedSummary } from './summary.js';
import { findFailureOutcomes, type TraceEntry, Tracer } from './trace.js';
import { Judge, type Verdict } from './verdict.js';
import { JsonListWriter, writeJson } from './writeJson.js';

export { isArtifactPath } from './packageFiles.js';
export type { Summary } from './summary.js';

export type PackageParts = {
  /** The Recipe v1 document that ran; undefined when the test died before it could say. */
  recipe: unknown;
  id: string;
  /** Its lines, which may be gone through twice. */
  journal: Lines;
  /** The journal and the artifacts lie in the directory already. */
  inPlace?: boolean;
  /** The recipe that was put there when the run began: it is not written again while it lies there as it was. */
  shown?: FileDigest | undefined;
  /** The bytes of an artifact the journal names, if they arrived; or what a file is that lies in its place already. */
  artifact(path: string, sha256: string): Uint8Array | FileDigest | undefined;
  /** What the host says went wrong outside of the journal: a red test whose journal looks green is not green. */
  hostFailure?: string;
  /** The tracked files that changed while the run went on, where the host looked: its journal need not know. */
  treeChanges?: readonly string[];
  /** `workflow.json`, the authored document as `source.*`, and `findings.json` of a run that was refused. */
  documents?: ReadonlyMap<string, Content>;
  /** Makes review.html of the recipe that ran; without it there is none. */
  review?: ((recipe: unknown) => PackageReview) | undefined;
};

/** Sees the entries of the trace one by one; nothing that it keeps grows with the run. */
export type PackageReview = {
  see(entry: TraceEntryJson): void;
  /** `attempt`: how often it was tried before. */
  page(facts: { summary: UnsealedSummary; artifacts: readonly Artifact[]; attempt: number }): Content;
};

export type ArtifactManifest = {
  version: 1;
  runStatus: Status;
  provenance?: { runner: NonNullable<RunLine['runner']> };
  artifacts: Artifact[];
};

/** `problem`: where the chain of the journal breaks. */
export type WrittenPackage = { summary: Summary; manifest: ArtifactManifest; problem?: string };

/** Nothing grows with the run but the list of artifacts. The manifest goes last: a directory that has one is whole. */
export function writePackage(dir: string, parts: PackageParts): WrittenPackage {
  return assemblePackage(parts, directorySink(dir));
}

export type Package = PackageParts & WrittenPackage & { trace: TraceEntry[]; files: Map<string, Uint8Array> };

/** The whole package in memory, for runs that are known to be short. */
export function buildPackage(parts: PackageParts): Package {
  const files = new Map<string, Uint8Array>();
  const built = assemblePackage(parts, memorySink(files));
  const trace = JSON.parse(Buffer.from(files.get('trace.json') ?? []).toString()) as TraceEntry[] | { entries: TraceEntry[] };
  return { ...parts, ...built, files, trace: Array.isArray(trace) ? trace : trace.entries };
}

// Goes through a journal once it is written, and makes the files of the package as it goes.

export function assemblePackage(parts: PackageParts, target: PackageSink): WrittenPackage {
  return wholeOrNothing(target, (sink) => {
    const { recipe, documents = new Map() } = parts;
    const facts = journalToTrace(parts, sink);
    const removed = new Set(facts.judge.closing?.removed);
    const captured = facts.artifacts.filter(({ path }) => !removed.has(path));
    const artifactProblems = captured.map((artifact) => addArtifact(artifact, parts, sink));
    const problems = [facts.problem, recipeMismatch(parts, facts), parts.hostFailure, ...artifactProblems].filter(
      (doubt) => doubt !== undefined,
    );
    const verdict = downgradePass(addHostFailure(facts, parts.hostFailure), problems);
    const files = new Map(facts.files);
    if (recipe !== undefined)
      files.set('recipe.json', findUnchangedRecipe(parts) ?? writeFile(sink, 'recipe.json', (write) => writeJson(recipe, write)));
    for (const [path, content] of documents) files.set(path, writeFile(sink, path, content));
    const listFiles = (): Artifact[] => [...listOwnFiles(files, documents), ...captured];
    const { run, counts, times, issues, moreIssues, problem } = facts;
    const { id, hostFailure } = parts;
    const treeChanges = mergeTreeChanges(facts.judge.closing, parts);
    const unsealed = buildSummary({ verdict, counts, times, run, id, recipe, hostFailure, treeChanges, issues, moreIssues });
    const page = facts.review?.page({ summary: unsealed, artifacts: listFiles(), attempt: run?.attempt ?? 0 });
    if (page !== undefined) files.set(reviewFile, writeFile(sink, reviewFile, page));
    const summary = sealSummary(unsealed, listFiles());
    files.set('summary.json', writeFile(sink, 'summary.json', prettyJson(summary)));
    const manifest: ArtifactManifest = {
      ...{ version: 1, runStatus: verdict.status, ...(run?.runner ? { provenance: { runner: run.runner } } : {}) },
      artifacts: listFiles(),
    };
    writeFile(sink, 'artifact-manifest.json', prettyJson(manifest));
    return { summary, manifest, ...omitUndefined({ problem }) };
  });
}

// What the host saw of a death explains what the journal could not say any more.
function addHostFailure({ judge }: JournalFacts, hostFailure: string | undefined): Verdict {
  const verdict = judge.currentVerdict();
  if (judge.closing || hostFailure === undefined) return verdict;
  // Nothing of the recipe ran at all: what it needs, a browser for one, was not there.
  const cause = judge.run ? verdict.cause_class : 'environment';
  return { ...verdict, ...omitUndefined({ cause_class: cause }), reason: `${verdict.reason}: ${hostFailure}` };
}

function downgradePass(verdict: Verdict, problems: readonly string[]): Verdict {
  if (verdict.status !== 'pass' || problems.length === 0) return verdict;
  return { ...verdict, status: 'unknown', cause_class: 'harness', reason: problems.join('; ') };
}

function recipeMismatch({ recipe }: PackageParts, { run }: JournalFacts): string | undefined {
  if (recipe === undefined || !run?.recipe.digest || run.recipe.digest === digestOf(recipe)) return undefined;
  return 'recipe.json is not the recipe that ran';
}

function findUnchangedRecipe({ shown, artifact }: PackageParts): FileDigest | undefined {
  const onDisk = shown && artifact('recipe.json', shown.sha256);
  return onDisk && 'sha256' in onDisk && onDisk.sha256 === shown?.sha256 ? shown : undefined;
}

function addArtifact(artifact: Artifact, parts: PackageParts, sink: PackageSink): string | undefined {
  const { path } = artifact;
  const content = parts.artifact(path, artifact.sha256);
  if (resolveInside('/', path) === undefined) return `the artifact ${path} points outside of the package`;
  if (!content) return `the artifact ${path} is missing`;
  const digest = content instanceof Uint8Array ? sha256(content) : content.sha256;
  if (digest !== artifact.sha256) return `the artifact ${path} is not the one that was captured`;
  if (!isArtifactPath(path)) return `the artifact ${path} has the name of a file of the package`;
  if (content instanceof Uint8Array) writeFile(sink, path, content);
  return undefined;
}

function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

// The journal in the words of the protocol: its trace and its issues on the way to their files, the rest summed up.

export type JournalFacts = {
  judge: Judge;
  run: RunLine | undefined;
  counts: TraceCounts;
  times: Pick<Summary, 'startedAt' | 'endedAt' | 'durationMs'>;
  artifacts: Artifact[];
  issues: readonly Issue[];
  moreIssues: number;
  files: Map<string, FileDigest>;
  /** Where the chain of the journal breaks. */
  problem: string | undefined;
  review: PackageReview | undefined;
};

type JournalParts = Pick<PackageParts, 'journal' | 'inPlace' | 'hostFailure' | 'review' | 'recipe'>;

export function journalToTrace(
  { journal, inPlace = false, hostFailure, ...parts }: JournalParts,
  sink: PackageSink,
): JournalFacts {
  // A file in its place is digested as it lies there, which is quicker than line by line.
  const digestInPlace = inPlace ? journal.digest?.() : undefined;
  const file = inPlace ? digestOnly() : sink.open('journal.jsonl');
  // A run in which nothing failed, which is most of them, is gone through once.
  const failureOutcomes = journal.containsText?.('"ok":false') === false ? new Map() : findFailureOutcomes(journal);
  const traceFiles = new TraceFiles(sink);
  const review = parts.review?.(parts.recipe);
  const tracer = new Tracer(failureOutcomes, (entry) => {
    traceFiles.writeEntry(entry);
    review?.see(entry as TraceEntryJson);
  });
  const { problem } = followJournal(digestInPlace ? journal : copyLines(journal, file), (line) => {
    traceFiles.readLine(line);
    tracer.readLine(line);
  });
  const files = new Map([['journal.jsonl', digestInPlace ?? file.close()]]);
  const { judge, times } = traceFiles;
  tracer.end(times.endedAt, judge.closing ? undefined : hostFailure);
  for (const [path, digest] of traceFiles.close()) files.set(path, digest);
  const { counts, artifacts, issueLog } = traceFiles;
  const { issues: issueList, more: moreIssues } = issueLog;
  return { judge, run: judge.run, counts, times, artifacts, issues: issueList, moreIssues, files, problem, review };
}

// All of it, also when whoever reads it stops where the chain breaks.
function* copyLines(journal: Iterable<string>, file: AtomicFile): Generator<string, void> {
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

class TraceFiles {
  readonly judge = new Judge();
  readonly artifacts: Artifact[] = [];
  readonly counts: TraceCounts = { total: 0, failed: 0, causes: { subject: 0, harness: 0, environment: 0, unknown: 0 } };
  readonly times = { startedAt: '', endedAt: '', durationMs: 0 };
  private trace: JsonListWriter | undefined;
  private log: IssueLog | undefined;
  private issuesList: JsonListWriter | undefined;

  constructor(private readonly sink: PackageSink) {}

  readLine(line: JournalLine): void {
    this.judge.readLine(line);
    this.times.startedAt ||= line.at;
    this.times.endedAt = line.at;
    if (line.t === 'end' && line.path === '') this.times.durationMs ||= line.ms;
    if (line.t === 'end' && line.artifacts) this.artifacts.push(...line.artifacts);
  }

  writeEntry(entry: TraceEntry): void {
    this.entryList.write(entry);
    this.counts.total++;
    if (!entry.ok) {
      const cause: CauseClass = entry.cause_class ?? 'unknown';
      this.counts.failed++;
      this.counts.causes[cause]++;
    }
    this.issueLog.addEntry(entry);
  }

  close(): [path: string, digest: FileDigest][] {
    const trace = this.entryList.close();
    const issues = this.issuesList?.close();
    return [['trace.json', trace], ...(issues ? [[issuesFile, issues] as [string, FileDigest]] : [])];
  }

  // The opening line, which comes before every entry, says whether there is something to be told about the runner.
  private get entryList(): JsonListWriter {
    const runner = this.judge.run?.runner;
    const wrapEntries = (entries: readonly unknown[]): unknown => (runner ? { metadata: { runner }, entries } : entries);
    this.trace ??= new JsonListWriter(this.sink.open('trace.json'), wrapEntries);
    return this.trace;
  }

  get issueLog(): IssueLog {
    this.log ??= new IssueLog(this.judge.run?.fail_on_unexpected, (issue) => {
      this.issuesList ??= new JsonListWriter(this.sink.open(issuesFile));
      this.issuesList.write(issue);
    });
    return this.log;
  }
}
