// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { resolve } from 'node:path';
import type { ReporterDescription, WorkerInfo } from '@playwright/test';
import type { FullConfig, FullResult, Suite, TestCase, TestError, TestResult, TestStep } from '@playwright/test/reporter';
import {
  archiveAttempt,
  clearPackage,
  type PackageSlot,
  packageName,
  placePackage,
  replacePackage,
} from '../src/evidence/packageDirs.js';
import { type DeclaredClaim, neverBeganText, type SuiteEntry, type SuiteRun } from '../src/evidence/suite.js';
import { writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { describeDifferingTrees, warnUnknownCommits } from '../src/evidence/suiteOrigin.js';
import type { PackageParts, Summary } from '../src/evidence/writePackage.js';
import { attachReview } from '../src/hosts/playwright/internals/attachReview.js';
import { findConfigFile, isTestRun } from '../src/hosts/playwright/internals/commandLine.js';
import { endRunOnSignals } from '../src/hosts/playwright/internals/endRunOnSignals.js';
import { type HostOptions, ReporterV2 } from '../src/hosts/playwright/internals/reporterV2.js';
import { isStdoutForMachines } from '../src/hosts/playwright/internals/stdoutForMachines.js';
import { LiveSteps } from '../src/hosts/playwright/liveSteps.js';
import {
  describeNotRun,
  findIdentity,
  readDeclaredClaims,
  readNestedRuns,
  readOwnActions,
  readResultParts,
} from '../src/hosts/playwright/readTestResult.js';
import { announceReporter, findRequestedReporters, withdrawReporter } from '../src/hosts/playwright/reporterPresence.js';
import { buildRerunCommand } from '../src/hosts/playwright/rerunCommand.js';
import { describeEnding, findLeftOut, type LeftOutRecipes, listPlannedNames } from '../src/hosts/playwright/runPlan.js';
import {
  createMissingShardEntry,
  describeHostProblems,
  describeOversize,
  describeUnprovenPass,
  findMissingShards,
  readErrorMessage,
  type Shard,
} from '../src/hosts/playwright/runProblems.js';
import { rememberOutputDir, resolveOutputDir } from '../src/hosts/shared/outputDirs.js';
import type { Closing } from '../src/hosts/shared/printClosing.js';
import { printClosing } from '../src/hosts/shared/printClosing.js';
import { recordTreeChanges } from '../src/hosts/shared/recordTreeChanges.js';
import { listReporterFiles, listReporterFilesOfEnv } from '../src/hosts/shared/reporterFiles.js';
import { ReviewWhenLoaded } from '../src/hosts/shared/reviewWhenLoaded.js';
import { describeHostFailure } from '../src/hosts/shared/suiteProblems.js';
import { endQuietly, forgetSuiteRecord, getSuiteRecord, type SuiteRecord } from '../src/hosts/shared/suiteRecord.js';
import { disregardFiles, renewTree } from '../src/run/treeAtStart.js';
import { decideExitCode } from '../src/system/processes/decideExitCode.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the config file. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
  /** Warns when the packages of a run are larger together; 200 when nobody says. */
  sizeBudgetMb?: number;
};

type EndedTest = {
  test: TestCase;
  result: TestResult;
  outcome: ReportedPackage['outcome'];
  slot: PackageSlot;
  write: typeof placePackage;
};

/** Of the last run of this process: a test server has many. */
let withdrawExitDecision = (): void => undefined;

export default class RecipeReporter extends ReporterV2 {
  private readonly outputDir: string;
  private planned: TestCase[] = [];
  private readonly written = new Map<string, ReportedPackage>();
  private readonly problems: string[] = [];
  private readonly sizeBudgetMb: number;
  private size = 0;
  private readonly merged: Shard[] = [];
  private mergedReports = 0;
  private notes: readonly string[] = [];
  private readonly review = new ReviewWhenLoaded();
  private readonly live: LiveSteps | undefined;
  private stopSignals = (): void => undefined;
  /** The index as the run goes on; one that is merged is over. */
  private readonly suiteRecord: SuiteRecord | undefined;
  private config: FullConfig | undefined;
  private leftOut: LeftOutRecipes = { entries: [], selection: [] };
  private readonly hostErrors: string[] = [];
  private tests: TestCase[] = [];
  /** The last test that ended in each worker, by the index of the worker. */
  private readonly lastTestByWorker = new Map<number, { test: TestCase; result: TestResult }>();
  private writeIndex: ((problems: readonly string[]) => void) | undefined;
  private isEnded = false;
  private isRed = false;
  private hasProblems = false;

  constructor(options: ReporterOptions & HostOptions = {}) {
    super(options);
    this.sizeBudgetMb = options.sizeBudgetMb ?? 200;
    this.outputDir = resolveOutputDir(this.configDir, options.outputDir);
    // What is merged is over.
    if (!this.isMerging) this.live = new LiveSteps(this.outputDir, (test) => this.getPackageName(test));
    if (this.isListing) return;
    // Others may end the process before Playwright comes to the end of the run.
    withdrawExitDecision();
    withdrawExitDecision = decideExitCode((exitCode) => this.chooseExitCode(exitCode));
    if (this.isMerging) return;
    this.suiteRecord = getSuiteRecord(this.outputDir);
    this.suiteRecord.hasReporter = true;
    if (!this.suiteRecord.isStarted) this.startRecord(listPlannedNames());
  }

  printsToStdio(): boolean {
    return false;
  }

  onConfigure(config: FullConfig): void {
    this.config = config;
    if (!this.suiteRecord) return;
    rememberOutputDir(config.configFile ?? findConfigFile(), this.outputDir);
    disregardFiles([...listReporterFiles(config.reporter), ...listReporterFilesOfEnv().map((path) => resolve(path))]);
  }

  // When it cannot be written now, it cannot be at the end either, and that is told.
  private startRecord(entries: readonly SuiteEntry[], selection?: readonly string[]): void {
    try {
      this.suiteRecord?.start(entries, selection);
    } catch {
      // EACCES, ENOSPC, or a file of somebody else.
    }
  }

  /** An error that comes when a worker has no test any more may be one that the last test left behind. */
  onError(error: TestError, workerInfo?: WorkerInfo): void {
    const message = readErrorMessage(error);
    this.hostErrors.push(message);
    const last = workerInfo && this.lastTestByWorker.get(workerInfo.workerIndex);
    const identity = last && findIdentity(last.test);
    if (!last || !identity || identity.invalid || last.result.status === 'skipped') return;
    const parts = readResultParts(identity, last.result);
    const hostFailure = parts.hostFailure ?? `an error came in its worker after the test (${message})`;
    this.placeReviewed(last.test, last.result, { ...parts, hostFailure }, replacePackage);
  }

  protected begin(suite: Suite): void {
    // Nothing will run, so the packages that lie there stay.
    if (this.isListing) return;
    announceReporter();
    this.written.clear();
    this.tests = suite.allTests();
    this.planned = this.tests.filter((test) => findIdentity(test));
    if (this.planned.length > 0) this.review.load();
    // An old package must not speak for a recipe that this run does not come to.
    for (const test of this.planned) {
      const identity = findIdentity(test);
      if (identity) this.runGuarded(identity.id, () => clearPackage(this.slot(identity.id, test, 0)));
    }
    this.leftOut = findLeftOut(suite, {
      config: this.config,
      getPackageName: (test) => this.getPackageName(test),
      isMerging: this.isMerging,
    });
    const planned = this.planned.map((test) => ({ name: this.getPackageName(test) ?? '', claims: readDeclaredClaims(test) }));
    this.startRecord([...planned, ...this.leftOut.entries], this.leftOut.selection);
    this.stopSignals = endRunOnSignals();
    if (this.live) renewTree();
  }

  onReportConfigure({ config }: { config: FullConfig }): void {
    this.mergedReports++;
    if (config.shard) this.merged.push(config.shard);
  }

  private slot(id: string, test: TestCase, attempt: number): PackageSlot {
    const project = test.parent.project()?.name ?? '';
    return {
      outputDir: this.outputDir,
      id,
      repeat: test.repeatEachIndex,
      attempt,
      ...(project === 'recipes' ? {} : { project }),
    };
  }

  private getPackageName(test: TestCase): string | undefined {
    const id = findIdentity(test)?.id;
    return id === undefined ? undefined : packageName(this.slot(id, test, 0));
  }

  // Playwright swallows what a reporter throws, so keep it for the end.
  private runGuarded(id: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.addWriteProblem(id, thrown);
    }
  }

  private addWriteProblem(id: string, thrown: unknown): void {
    this.problems.push(`${id}: it could not be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }

  onStepBegin(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.onStepBegin(test, result, step);
  }

  onStepEnd(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.onStepEnd(test, result, step);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.lastTestByWorker.set(result.workerIndex, { test, result });
    const identity = findIdentity(test);
    if (identity && (identity.invalid || result.status === 'skipped')) return;
    this.review.use((reviews) => reviews.declareActions(readOwnActions(result)));
    if (identity) this.placeReviewed(test, result, readResultParts(identity, result));
    else this.placeNested(test, result);
  }

  private placeNested(test: TestCase, result: TestResult): void {
    const nested = readNestedRuns(result);
    // The last attempt of a test may run other recipes than the one before, and only the last one counts.
    this.review.use(() => {
      for (const [key, { slot }] of this.written) {
        if (!key.startsWith(`${test.id} `)) continue;
        this.written.delete(key);
        if (!nested.some(({ id }) => id === slot.id)) this.runGuarded(slot.id, () => archiveAttempt(slot));
      }
    });
    for (const parts of nested) this.placeReviewed(test, result, parts);
  }

  private placeReviewed(test: TestCase, result: TestResult, parts: PackageParts, write = placePackage): void {
    const outcome = result.status === 'interrupted' ? 'unexpected' : test.outcome();
    const slot = this.slot(parts.id, test, result.retry);
    this.review.use((reviews) =>
      this.runGuarded(parts.id, () => {
        const review = reviews.open(packageName(slot));
        this.write({ test, result, outcome, slot, write }, { ...parts, review });
      }),
    );
  }

  private write({ test, result, outcome, slot, write }: EndedTest, parts: PackageParts): void {
    const built = write(slot, parts);
    const { dir, summary, manifest } = built;
    this.size += manifest.artifacts.reduce((sum, { size }) => sum + size, 0);
    const isNested = !findIdentity(test);
    const again = summary.status === 'pass' ? {} : { again: buildRerunCommand(test, this.configDir, this.planned) };
    const claims = isNested ? [] : readDeclaredClaims(test);
    const written = { name: packageName(slot), slot, dir, summary, outcome, isNested, claims, earlier: slot.attempt, ...again };
    this.written.set(isNested ? `${test.id} ${parts.id}` : test.id, written);
    this.suiteRecord?.put(isNested ? createSuiteEntry(written) : this.createEntry(test));
    const title = isNested ? `Review of ${parts.id}` : 'Review';
    attachReview(result, { slot, title }, built);
    this.live?.endPackage(packageName(slot));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    await this.review.waitUntilDone().catch((thrown) => this.addWriteProblem('review.html', thrown));
    this.notes = this.noteTreeChanges();
    const unproven = [...this.written.values()].filter(
      ({ summary, outcome }) => outcome !== 'unexpected' && summary.status !== 'pass',
    );
    for (const { summary } of unproven) this.problems.push(describeUnprovenPass(summary));
    const missing = [
      ...findMissingShards(this.merged).map(createMissingShardEntry),
      ...describeDifferingTrees([...this.written.values()]),
    ];
    for (const { name, detail } of missing) this.problems.push(`${name}: ${detail}`);
    const entries = [...this.planned.map((test) => this.createEntry(test)), ...this.nested()];
    this.writeIndex = this.createIndexWriter(entries, result.status);
    const { hostErrors: errors, tests } = this;
    const outside = describeHostProblems({ status: result.status, errors, tests });
    this.runGuarded('the index', () => this.writeIndex?.([...this.problems, ...outside]));
    forgetSuiteRecord(this.outputDir);
    if (this.written.size > 0 || this.problems.length > 0)
      printClosing(this.createClosing(), isStdoutForMachines(this.listReporters()));
    this.live?.endAll();
    this.stopSignals();
    withdrawReporter();
    this.isRed = this.problems.length > 0 || !this.isGreen();
    this.isEnded = true;
    return result.status === 'passed' && this.problems.length > 0 ? { status: 'failed' } : undefined;
  }

  private noteTreeChanges(): string[] {
    const { outputDir, review, isMerging, mergedReports } = this;
    const all = [...this.written.values()];
    if (isMerging) return mergedReports > 1 ? warnUnknownCommits(all) : [];
    const written = all.map((one) => [one.name, one] as const);
    return this.isListing
      ? []
      : recordTreeChanges({ outputDir, written, review, runGuarded: (id, work) => this.runGuarded(id, work) });
  }

  /** Other reporters may have ended the run otherwise by now, or end the process while we write. */
  private chooseExitCode(exitCode: number): number {
    if (!this.isEnded) return this.chooseUnfinishedExitCode(exitCode);
    if (this.isRed) return exitCode || 1;
    if (exitCode === 0 || this.hasProblems) return exitCode;
    try {
      this.writeIndex?.([describeHostFailure(`Playwright ended with exit code ${exitCode}.`)]);
    } catch {
      // ENOSPC, EROFS: the index that could not be written again is gone, which claims nothing.
    }
    return exitCode;
  }

  private chooseUnfinishedExitCode(exitCode: number): number {
    if (this.isMerging) return exitCode || 1;
    return this.suiteRecord && isTestRun() ? endQuietly(this.suiteRecord, exitCode, describeEnding) : exitCode;
  }

  /** Writes the index of a run that has ended; again, when more is known. */
  private createIndexWriter(entries: readonly SuiteEntry[], status: FullResult['status']): (problems: readonly string[]) => void {
    const view = this.review.createView(this.planned.flatMap((test) => findIdentity(test)?.file ?? []));
    const { entries: left, selection } = this.leftOut;
    // A run that was stopped, or failed, before its tests were chosen left nothing out on purpose.
    const isChosen = this.tests.length > 0 || status === 'passed';
    const [detail = neverBeganText] = this.hostErrors;
    const others = isChosen ? left : left.map(({ name, claims = [] }) => ({ name, claims, detail }));
    return (problems) => {
      this.hasProblems = problems.length > 0;
      const run: SuiteRun = { selection, problems, notes: this.notes };
      if (this.suiteRecord) this.suiteRecord.end([...entries, ...others], view, run);
      else writeSuiteIndex(this.outputDir, [...entries, ...others], view, run);
    };
  }

  private isGreen(): boolean {
    const entries = [...this.planned.map((test) => this.createEntry(test)), ...this.nested()];
    return entries.every(({ summary, skipped }) => skipped || summary?.status === 'pass');
  }

  // Every planned recipe, the last attempt of each.
  private createEntry(test: TestCase): SuiteEntry {
    const name = this.getPackageName(test) ?? '';
    const written = this.written.get(test.id);
    return written
      ? { ...createSuiteEntry(written), isFlaky: written.outcome === 'flaky', earlier: written.earlier }
      : { name, claims: readDeclaredClaims(test), ...describeNotRun(test) };
  }

  private nested(): SuiteEntry[] {
    return [...this.written.values()].filter(({ isNested }) => isNested).map(createSuiteEntry);
  }

  /** What is merged has the reporters of the command line, or of the config that was loaded for it. */
  private listReporters(): readonly ReporterDescription[] {
    return this.isMerging ? findRequestedReporters() : (this.config?.reporter ?? []);
  }

  private createClosing(): Closing {
    const { outputDir, problems } = this;
    const notes = [...this.notes, ...describeOversize(Math.ceil(this.size / 1_000_000), this.sizeBudgetMb)];
    const written = [...this.written.values()].map((one) => ({ ...one, isFlaky: one.outcome === 'flaky' }));
    return { outputDir, written, problems, notes };
  }
}

/** A package that the reporter wrote. `isNested`: a native test ran it. `earlier`: how often it was tried before. */
export type ReportedPackage = {
  name: string;
  slot: PackageSlot;
  dir: string;
  summary: Summary;
  outcome: ReturnType<TestCase['outcome']>;
  isNested: boolean;
  earlier: number;
  /** The command that runs its test again, for one that did not pass. */
  again?: string;
  /** What its test declares: a run that never began proves none of it. */
  claims?: readonly DeclaredClaim[];
};

export function createSuiteEntry({ name, summary, again, claims = [] }: ReportedPackage): SuiteEntry {
  return { name, summary, claims, ...(again === undefined ? {} : { again }) };
}
