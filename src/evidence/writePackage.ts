// Writes the evidence package, so that a reviewer need not run the recipe. Everything in a package follows from the recipe, the
// journal and the captured artifacts.

import { omitUndefined } from '../document/omitUndefined.js';
import type { Status } from '../recipe/recipe.js';
import type { AtomicFile, FileDigest } from '../system/files/atomicFile.js';
import { resolveInside, sha256 } from '../system/files/files.js';
import type { Lines } from '../system/files/readLines.js';
import { digestOf } from './digest.js';
import type { CauseClass } from './failureTable.js';
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
  writeAllOrDiscard,
  writeFile,
} from './packageSink.js';
import { buildSummary, type Summary, sealSummary, type TraceCounts, type UnsealedSummary } from './summary.js';
import { findFailureOutcomes, type TraceEntry, Tracer } from './trace.js';
import { type Verdict, VerdictBuilder } from './verdict.js';
import { mergeTreeChanges } from './workTreeState.js';
import { JsonListWriter, writeJson } from './writeJson.js';

export type { Summary } from './summary.js';

export type PackageParts = {
  /** The Recipe v1 document that ran. Undefined when the test died before the recipe began. */
  recipe: unknown;
  id: string;
  /** The lines of the journal. They are read up to two times. */
  journal: Lines;
  /** Whether the journal and the artifacts are in the directory already. */
  inPlace?: boolean;
  /** The digest of recipe.json, if the run wrote that file when it began. An unchanged file is not written again. */
  writtenRecipe?: FileDigest | undefined;
  /** Returns the bytes of an artifact that the journal names, or only the digest when the file is in its place already. */
  findArtifact(path: string, sha256: string): Uint8Array | FileDigest | undefined;
  /** A failure that the host saw and the journal does not have. The run then does not pass. */
  hostFailure?: string;
  /** The tracked files that changed during the run, as the host saw. The journal may not have all of them. */
  treeChanges?: readonly string[];
  /** `workflow.json`, the document of the author as `source.*`, and the `findings.json` of a refused run. */
  documents?: ReadonlyMap<string, Content>;
  /** Creates the review page of the recipe. If missing, the package gets no review.html. */
  review?: ((recipe: unknown) => PackageReview) | undefined;
};

/** Collects what the review page shows from the entries of the trace. Memory must not grow with the length of the run. */
export type PackageReview = {
  addEntry(entry: TraceEntryJson): void;
  /** `attempt`: the number of earlier attempts. */
  renderPage(facts: { summary: UnsealedSummary; artifacts: readonly Artifact[]; attempt: number }): Content;
};

export type ArtifactManifest = {
  version: 1;
  runStatus: Status;
  provenance?: { runner: NonNullable<RunLine['runner']> };
  artifacts: Artifact[];
};

/** `problem`: where the chain of the journal breaks. */
export type WrittenPackage = { summary: Summary; manifest: ArtifactManifest; problem?: string };

/** Memory grows only with the number of artifacts. The manifest is written last, so a directory with a manifest is complete. */
export function writePackage(dir: string, parts: PackageParts): WrittenPackage {
  return assemblePackage(parts, directorySink(dir));
}

export type Package = PackageParts & WrittenPackage & { trace: TraceEntry[]; files: Map<string, Uint8Array> };

/** Builds the whole package in memory, for short runs. */
export function buildPackage(parts: PackageParts): Package {
  const files = new Map<string, Uint8Array>();
  const built = assemblePackage(parts, memorySink(files));
  const trace = JSON.parse(Buffer.from(files.get('trace.json') ?? []).toString()) as TraceEntry[] | { entries: TraceEntry[] };
  return { ...parts, ...built, files, trace: Array.isArray(trace) ? trace : trace.entries };
}

/** Reads the journal, and writes the files of the package to `target`. */
export function assemblePackage(parts: PackageParts, target: PackageSink): WrittenPackage {
  return writeAllOrDiscard(target, (sink) => {
    const { recipe, documents = new Map() } = parts;
    const facts = journalToTrace(parts, sink);
    const removed = new Set(facts.judge.closing?.removed);
    const artifacts = facts.artifacts.filter(({ path }) => !removed.has(path));
    const artifactProblems = artifacts.map((artifact) => addArtifact(artifact, parts, sink));
    const problems = [facts.problem, recipeMismatch(parts, facts), parts.hostFailure, ...artifactProblems].filter(
      (problem) => problem !== undefined,
    );
    const verdict = downgradePass(addHostFailure(facts, parts.hostFailure), problems);
    const files = new Map(facts.files);
    if (recipe !== undefined) {
      const unchanged = findUnchangedRecipe(parts);
      files.set('recipe.json', unchanged ?? writeFile(sink, 'recipe.json', (write) => writeJson(recipe, write)));
    }
    for (const [path, content] of documents) files.set(path, writeFile(sink, path, content));
    const listFiles = (): Artifact[] => [...listOwnFiles(files, documents), ...artifacts];
    const { run, counts, times, issues, moreIssues, problem } = facts;
    const { id, hostFailure } = parts;
    const treeChanges = mergeTreeChanges(facts.judge.closing, parts);
    const unsealed = buildSummary({ verdict, counts, times, run, id, recipe, hostFailure, treeChanges, issues, moreIssues });
    const page = facts.review?.renderPage({ summary: unsealed, artifacts: listFiles(), attempt: run?.attempt ?? 0 });
    if (page !== undefined) files.set(reviewFile, writeFile(sink, reviewFile, page));
    const summary = sealSummary(unsealed, listFiles());
    files.set('summary.json', writeFile(sink, 'summary.json', prettyJson(summary)));
    const manifest: ArtifactManifest = {
      version: 1,
      runStatus: verdict.status,
      ...omitUndefined({ provenance: run?.runner && { runner: run.runner } }),
      artifacts: listFiles(),
    };
    writeFile(sink, 'artifact-manifest.json', prettyJson(manifest));
    return { summary, manifest, ...omitUndefined({ problem }) };
  });
}

// A failure that the host saw is the reason why the journal has no last line.
function addHostFailure({ judge }: JournalFacts, hostFailure: string | undefined): Verdict {
  const verdict = judge.currentVerdict();
  if (judge.closing || hostFailure === undefined) return verdict;
  // Without a run line, something that the recipe needs was missing, for example a browser.
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

function findUnchangedRecipe({ writtenRecipe, findArtifact }: PackageParts): FileDigest | undefined {
  const current = writtenRecipe && findArtifact('recipe.json', writtenRecipe.sha256);
  return current && 'sha256' in current && current.sha256 === writtenRecipe?.sha256 ? writtenRecipe : undefined;
}

function addArtifact(artifact: Artifact, parts: PackageParts, sink: PackageSink): string | undefined {
  const { path } = artifact;
  const content = parts.findArtifact(path, artifact.sha256);
  if (resolveInside('/', path) === undefined) return `the artifact ${path} is outside the package`;
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

/** The facts about a journal that the package needs after the trace and the issues are written. */
type JournalFacts = {
  judge: VerdictBuilder;
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

/** Writes journal.jsonl, trace.json and issues.json line by line, and collects the other facts. */
function journalToTrace({ journal, inPlace = false, hostFailure, ...parts }: JournalParts, sink: PackageSink): JournalFacts {
  // A journal that is in its place already is digested as a whole file, which is faster than line by line.
  const digestInPlace = inPlace ? journal.digest?.() : undefined;
  const file = inPlace ? digestOnly() : sink.open('journal.jsonl');
  // Most journals have no failures, and need no first pass.
  const failureOutcomes = journal.containsText?.('"ok":false') === false ? new Map() : findFailureOutcomes(journal);
  const traceFiles = new TraceFiles(sink);
  const review = parts.review?.(parts.recipe);
  const tracer = new Tracer(failureOutcomes, (entry) => {
    traceFiles.writeEntry(entry);
    review?.addEntry(entry as TraceEntryJson);
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
  const { issues, moreIssues } = issueLog;
  return { judge, run: judge.run, counts, times, artifacts, issues, moreIssues, files, problem, review };
}

// Copies every line to the file, even when the reader stops at a broken chain.
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
  readonly judge = new VerdictBuilder();
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
    return issues
      ? [
          ['trace.json', trace],
          [issuesFile, issues],
        ]
      : [['trace.json', trace]];
  }

  // The run line comes before every entry, and has the runner, if one is known.
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
