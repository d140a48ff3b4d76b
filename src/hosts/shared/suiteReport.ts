// The part of a reporter that both hosts share: the written packages, the problems of the run, its index and its exit code.
import { join } from 'node:path';
import type { SuiteEntry } from '../../evidence/suite.js';
import { writeSuiteIndex } from '../../evidence/suiteIndex.js';
import { describeDifferingTrees, warnUnknownCommits } from '../../evidence/suiteOrigin.js';
import type { PackageParts, Summary } from '../../evidence/writePackage.js';
import { finishTreeWatch } from '../../run/treeAtStart.js';
import { readPathKind } from '../../system/files/files.js';
import { decideExitCode } from '../../system/processes/decideExitCode.js';
import { addTreeChanges } from '../../verify/amendPackage.js';
import { printRunSummary } from './printRunSummary.js';
import { ReviewWhenLoaded } from './reviewWhenLoaded.js';
import { describeHostFailure } from './suiteProblems.js';
import { forgetSuiteRecord, type SuiteRecord } from './suiteRecord.js';

/** A package that the reporter wrote. */
export type ReportedPackage = {
  name: string;
  dir: string;
  summary: Summary;
  /** Whether the host reports that the test passed. */
  hasTestPassed: boolean;
  isFlaky: boolean;
  /** The number of earlier attempts. */
  earlier: number;
};

type EndedRun = {
  /** All planned recipes. */
  entries: readonly SuiteEntry[];
  /** Recipes that options left out of the run. */
  leftOut: readonly SuiteEntry[];
  /** The options that left recipes out. */
  selection: readonly string[];
  /** Problems that belong to no recipe. */
  outsideProblems: readonly string[];
  /** The documents whose coverage the index shows. */
  documents: readonly string[];
  /** Whether `entries` and `leftOut` are all recipes of the project. Then a recipe of the previous run that is missing was removed. */
  isWhole?: boolean;
};

export class SuiteReport<Reported extends ReportedPackage> {
  /** Packages by a key that the reporter chooses. A later attempt replaces the previous one. */
  readonly packages = new Map<string, Reported>();
  readonly review = new ReviewWhenLoaded();
  /** The index during the run. A merge of reports has none. */
  record: SuiteRecord | undefined;
  /** Whether a recipe of the ended run did not pass, or the run has another problem. */
  hasFailed = false;
  private readonly problems = new Set<string>();
  private notes: readonly string[] = [];
  private outsideProblems: readonly string[] = [];
  private writeIndex: ((problems: readonly string[]) => void) | undefined;

  constructor(
    private readonly host: string,
    readonly outputDir: string,
  ) {}

  listProblems(): string[] {
    return [...this.problems];
  }

  /** Deletes the results of the previous run, for a process that runs tests many times. */
  clear(): void {
    this.packages.clear();
    this.problems.clear();
  }

  addProblem(problem: string): void {
    this.problems.add(problem);
  }

  /** Records an error of `work` as a problem of the run, because hosts ignore errors of their reporters, or stop the run. */
  runGuarded(subject: string, work: () => void, onError?: (why: string) => void): void {
    try {
      work();
    } catch (thrown) {
      const why = this.addWriteProblem(subject, thrown);
      onError?.(why);
    }
  }

  private addWriteProblem(subject: string, thrown: unknown): string {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    this.addProblem(`${subject} could not be written: ${why}`);
    return why;
  }

  /** Writes a package as soon as the code of its review page is loaded. */
  writeReviewed(
    { id, name }: { id: string; name: string },
    write: (review: PackageParts['review']) => void,
    onError?: (why: string) => void,
  ): void {
    this.review.use((reviews) => this.runGuarded(id, () => write(reviews.open(name)), onError));
  }

  /** Waits for all packages. */
  async waitUntilWritten(): Promise<void> {
    await this.review.waitUntilDone().catch((thrown) => this.addWriteProblem('review.html', thrown));
  }

  /** Adds a note when merged reports do not record whether they belong to the same commit. */
  noteUnknownCommits(): void {
    this.notes = warnUnknownCommits([...this.packages.values()]);
  }

  /** Adds the tracked files that changed during the run to its packages. */
  noteTreeChanges(): void {
    this.notes = [];
    const { tree, changed = [] } = finishTreeWatch() ?? {};
    if (changed.length === 0) return;
    const packages = [...this.packages.values()].filter(
      ({ summary }) => summary.tree_digest === tree?.state?.digest && summary.git_ref === tree?.commit,
    );
    if (packages.length === 0) return;
    this.review.use((reviews) => {
      for (const reported of packages)
        this.runGuarded(reported.summary.recipe.id, () => {
          const { dir, name, earlier } = reported;
          const attempts = Array.from({ length: earlier }, (_, attempt) =>
            join(this.outputDir, '.attempts', name, String(attempt)),
          );
          for (const attempt of attempts)
            if (readPathKind(attempt) === 'directory') addTreeChanges(attempt, changed, reviews.open(name));
          reported.summary = addTreeChanges(dir, changed, reviews.open(name));
        });
    });
    this.notes = [
      `Tracked files changed during the run: ${changed.join(', ')}. The packages record this, and "recipewright verify --git-ref" rejects them.`,
    ];
  }

  /** Writes the index of a run that has ended, and decides whether the run failed. */
  end({ entries, leftOut, selection, outsideProblems, documents, isWhole = false }: EndedRun): void {
    for (const { summary, hasTestPassed } of this.packages.values())
      if (hasTestPassed && summary.status !== 'pass') this.addProblem(describeUnprovenPass(summary));
    for (const { name, detail } of describeDifferingTrees(entries)) this.addProblem(`${name}: ${detail}`);
    this.outsideProblems = outsideProblems;
    const all = [...entries, ...leftOut];
    const view = this.review.createView(documents);
    this.writeIndex = (problems) => {
      const run = { selection, problems, notes: this.notes };
      if (this.record) this.record.end(all, view, { ...run, isWhole });
      else writeSuiteIndex(this.outputDir, all, view, run);
    };
    this.runGuarded('the index', () => this.writeIndex?.([...this.problems, ...outsideProblems]));
    forgetSuiteRecord(this.outputDir);
    const haveAllPassed = entries.every(({ summary, skipped, notRun }) => summary?.status === 'pass' || skipped || notRun);
    this.hasFailed = this.problems.size > 0 || !haveAllPassed;
  }

  printRunSummary(isForMachines: boolean, notes: readonly string[] = []): void {
    if (this.packages.size === 0 && this.problems.size === 0) return;
    const summary = { outputDir: this.outputDir, written: [...this.packages.values()], problems: this.listProblems() };
    printRunSummary({ ...summary, notes: [...this.notes, ...notes] }, isForMachines);
  }

  /** Returns the exit code of a process whose run has ended. It agrees with the index, even if other code set another exit code. */
  reconcileExitCode(exitCode: number): number {
    if (this.hasFailed) return exitCode || 1;
    if (exitCode === 0 || this.outsideProblems.length > 0) return exitCode;
    try {
      this.writeIndex?.([describeHostFailure(`${this.host} ended with exit code ${exitCode}.`)]);
    } catch {
      // ENOSPC, EROFS: an index that cannot be written again is removed, so it cannot claim a pass.
    }
    return exitCode;
  }
}

function describeUnprovenPass({ recipe, status, reason }: Summary): string {
  return `${recipe.id}: the test passed, but its evidence says ${status}: ${reason}`;
}

let cancelExitDecision = (): void => undefined;

/** A test server, or watch mode, has many runs in one process: only the last one decides the exit code. */
export function decideExitCodeOfRun(...decision: Parameters<typeof decideExitCode>): void {
  cancelExitDecision();
  cancelExitDecision = decideExitCode(...decision);
}
