// Builds the evidence package of every recipe from Playwright's events about its test, without the engine.
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
import { type DeclaredClaim, neverBeganText, type SuiteEntry } from '../src/evidence/suite.js';
import type { PackageParts } from '../src/evidence/writePackage.js';
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
import { announceReporter, findRequestedReporters, forgetReporter } from '../src/hosts/playwright/reporterPresence.js';
import { buildRerunCommand } from '../src/hosts/playwright/rerunCommand.js';
import { describeEnding, findLeftOut, type LeftOutRecipes, listPlannedNames } from '../src/hosts/playwright/runPlan.js';
import {
  createMissingShardEntry,
  describeHostProblems,
  describeLateError,
  describeOversize,
  findMissingShards,
  readErrorMessage,
  type Shard,
} from '../src/hosts/playwright/runProblems.js';
import { rememberOutputDir, resolveOutputDir } from '../src/hosts/shared/outputDirs.js';
import { listReporterFiles, listReporterFilesOfEnv } from '../src/hosts/shared/reporterFiles.js';
import { endWithoutThrowing, getSuiteRecord } from '../src/hosts/shared/suiteRecord.js';
import { decideExitCodeOfRun, type ReportedPackage, SuiteReport } from '../src/hosts/shared/suiteReport.js';
import { ignoreReporterFiles, rereadTree } from '../src/run/treeAtStart.js';

export type ReporterOptions = {
  /** The folder of the packages, relative to the config file. RECIPEWRIGHT_OUTPUT_DIR overrides this option. */
  outputDir?: string;
  /** The total size in MB above which the packages of a run cause a warning. Default: 200. */
  sizeBudgetMb?: number;
};

type PlaywrightPackage = ReportedPackage & {
  slot: PackageSlot;
  /** Whether a native test ran the recipe. */
  isNested: boolean;
  /** The command that runs the test of the recipe again. Undefined for a recipe that passed. */
  again?: string;
  /** The claims that the test declares, because a run that never began has no others. */
  claims: readonly DeclaredClaim[];
};

type EndedTest = { test: TestCase; result: TestResult; outcome: ReturnType<TestCase['outcome']>; slot: PackageSlot };

export default class RecipeReporter extends ReporterV2 {
  private readonly report: SuiteReport<PlaywrightPackage>;
  private readonly sizeBudgetMb: number;
  /** Undefined for merged reports, because their runs have ended. */
  private readonly live: LiveSteps | undefined;
  private config: FullConfig | undefined;
  private tests: TestCase[] = [];
  /** The tests that are recipes. */
  private planned: TestCase[] = [];
  private leftOut: LeftOutRecipes = { entries: [], selection: [] };
  private bytesWritten = 0;
  private readonly mergedShards: Shard[] = [];
  private mergedReports = 0;
  /** Errors that belong to no test. */
  private readonly hostErrors: string[] = [];
  private readonly lastTestByWorker = new Map<number, { test: TestCase; result: TestResult }>();
  private stopSignals = (): void => undefined;
  private isEnded = false;

  constructor(options: ReporterOptions & HostOptions = {}) {
    super(options);
    this.sizeBudgetMb = options.sizeBudgetMb ?? 200;
    const outputDir = resolveOutputDir(this.configDir, options.outputDir);
    this.report = new SuiteReport('Playwright', outputDir);
    if (!this.isMerging) this.live = new LiveSteps(outputDir, (test) => this.getPackageName(test));
    if (this.isListing) return;
    // Other code may end the process before Playwright reports the end of the run.
    decideExitCodeOfRun((exitCode) => this.chooseExitCode(exitCode));
    if (this.isMerging) return;
    const record = getSuiteRecord(outputDir);
    this.report.record = record;
    record.hasReporter = true;
    if (!record.isStarted) this.startRecord(listPlannedNames());
  }

  printsToStdio(): boolean {
    return false;
  }

  onConfigure(config: FullConfig): void {
    this.config = config;
    if (!this.report.record) return;
    rememberOutputDir(config.configFile ?? findConfigFile(), this.report.outputDir);
    ignoreReporterFiles([...listReporterFiles(config.reporter), ...listReporterFilesOfEnv().map((path) => resolve(path))]);
  }

  onReportConfigure({ config }: { config: FullConfig }): void {
    this.mergedReports++;
    if (config.shard) this.mergedShards.push(config.shard);
  }

  protected begin(suite: Suite): void {
    // With --list, no test runs, so the packages of the previous run stay.
    if (this.isListing) return;
    announceReporter();
    this.report.clear();
    this.tests = suite.allTests();
    this.planned = this.tests.filter((test) => findIdentity(test));
    if (this.planned.length > 0) this.report.review.load();
    // Removes old packages, because this run may not reach every recipe.
    for (const test of this.planned) {
      const identity = findIdentity(test);
      if (identity) this.report.runGuarded(identity.id, () => clearPackage(this.createSlot(identity.id, test, 0)));
    }
    this.leftOut = findLeftOut(suite, {
      config: this.config,
      getPackageName: (test) => this.getPackageName(test),
      isMerging: this.isMerging,
    });
    const planned = this.planned.map((test) => ({ name: this.getPackageName(test) ?? '', claims: readDeclaredClaims(test) }));
    this.startRecord([...planned, ...this.leftOut.entries], this.leftOut.selection);
    this.stopSignals = endRunOnSignals();
    if (!this.isMerging) rereadTree();
  }

  private startRecord(entries: readonly SuiteEntry[], selection?: readonly string[]): void {
    try {
      this.report.record?.start(entries, selection);
    } catch {
      // EACCES, ENOSPC, or a file that is not ours: the end of the run fails in the same way, and reports the error.
    }
  }

  private createSlot(id: string, test: TestCase, attempt: number): PackageSlot {
    const project = test.parent.project()?.name ?? '';
    return {
      outputDir: this.report.outputDir,
      id,
      repeat: test.repeatEachIndex,
      attempt,
      ...(project === 'recipes' ? {} : { project }),
    };
  }

  private getPackageName(test: TestCase): string | undefined {
    const id = findIdentity(test)?.id;
    return id === undefined ? undefined : packageName(this.createSlot(id, test, 0));
  }

  onStepBegin(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.onStepBegin(test, result, step);
  }

  onStepEnd(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.onStepEnd(test, result, step);
  }

  /** Adds an error of a worker that runs no test to the worker's last test, which may have caused the error. */
  onError(error: TestError, workerInfo?: WorkerInfo): void {
    const message = readErrorMessage(error);
    this.hostErrors.push(message);
    const last = workerInfo && this.lastTestByWorker.get(workerInfo.workerIndex);
    const identity = last && findIdentity(last.test);
    if (!last || !identity || identity.invalid || last.result.status === 'skipped') return;
    const parts = readResultParts(identity, last.result);
    const hostFailure = parts.hostFailure ?? describeLateError(message);
    this.placeReviewed(last.test, last.result, { ...parts, hostFailure }, replacePackage);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.lastTestByWorker.set(result.workerIndex, { test, result });
    const identity = findIdentity(test);
    if (identity && (identity.invalid || result.status === 'skipped')) return;
    this.report.review.use((reviews) => reviews.declareActions(readOwnActions(result)));
    if (identity) this.placeReviewed(test, result, readResultParts(identity, result));
    else this.placeNested(test, result);
  }

  private placeNested(test: TestCase, result: TestResult): void {
    const nested = readNestedRuns(result);
    const { packages, review } = this.report;
    // Only the last attempt of a test counts, and may run other recipes than the previous attempt.
    review.use(() => {
      for (const [key, { slot }] of packages) {
        if (!key.startsWith(`${test.id} `)) continue;
        packages.delete(key);
        if (!nested.some(({ id }) => id === slot.id)) this.report.runGuarded(slot.id, () => archiveAttempt(slot));
      }
    });
    for (const parts of nested) this.placeReviewed(test, result, parts);
  }

  private placeReviewed(test: TestCase, result: TestResult, parts: PackageParts, place = placePackage): void {
    const outcome = result.status === 'interrupted' ? 'unexpected' : test.outcome();
    const slot = this.createSlot(parts.id, test, result.retry);
    this.report.writeReviewed({ id: parts.id, name: packageName(slot) }, (review) => {
      this.write({ test, result, outcome, slot }, { ...parts, review }, place);
    });
  }

  private write({ test, result, outcome, slot }: EndedTest, parts: PackageParts, place: typeof placePackage): void {
    const writtenPackage = place(slot, parts);
    const { dir, summary, manifest } = writtenPackage;
    this.bytesWritten += manifest.artifacts.reduce((sum, { size }) => sum + size, 0);
    const isNested = !findIdentity(test);
    const reportedPackage: PlaywrightPackage = {
      name: packageName(slot),
      slot,
      dir,
      summary,
      hasTestPassed: outcome !== 'unexpected',
      isFlaky: outcome === 'flaky',
      earlier: slot.attempt,
      isNested,
      claims: isNested ? [] : readDeclaredClaims(test),
      ...(summary.status === 'pass' ? {} : { again: buildRerunCommand(test, this.configDir, this.planned) }),
    };
    this.report.packages.set(isNested ? `${test.id} ${parts.id}` : test.id, reportedPackage);
    this.report.record?.put(isNested ? createSuiteEntry(reportedPackage) : this.createEntry(test));
    attachReview(result, { slot, title: isNested ? `Review of ${parts.id}` : 'Review' }, writtenPackage);
    this.live?.endPackage(reportedPackage.name);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    await this.report.waitUntilWritten();
    if (!this.isMerging && !this.isListing) this.report.noteTreeChanges();
    if (this.mergedReports > 1) this.report.noteUnknownCommits();
    for (const shard of findMissingShards(this.mergedShards)) {
      const { name, detail } = createMissingShardEntry(shard);
      this.report.addProblem(`${name}: ${detail}`);
    }
    this.report.end({
      entries: this.listEntries(),
      leftOut: this.listLeftOut(result.status),
      selection: this.leftOut.selection,
      outsideProblems: describeHostProblems({ status: result.status, errors: this.hostErrors, tests: this.tests }),
      documents: this.planned.flatMap((test) => findIdentity(test)?.file ?? []),
    });
    const oversize = describeOversize(Math.ceil(this.bytesWritten / 1_000_000), this.sizeBudgetMb);
    this.report.printRunSummary(isStdoutForMachines(this.listReporters()), oversize);
    this.live?.endAll();
    this.stopSignals();
    forgetReporter();
    this.isEnded = true;
    return result.status === 'passed' && this.report.listProblems().length > 0 ? { status: 'failed' } : undefined;
  }

  /** Lists all planned recipes with their last attempts, and the recipes that native tests ran. */
  private listEntries(): SuiteEntry[] {
    const nested = [...this.report.packages.values()].filter(({ isNested }) => isNested);
    return [...this.planned.map((test) => this.createEntry(test)), ...nested.map(createSuiteEntry)];
  }

  private createEntry(test: TestCase): SuiteEntry {
    const reportedPackage = this.report.packages.get(test.id);
    return reportedPackage
      ? { ...createSuiteEntry(reportedPackage), isFlaky: reportedPackage.isFlaky, earlier: reportedPackage.earlier }
      : { name: this.getPackageName(test) ?? '', claims: readDeclaredClaims(test), ...describeNotRun(test) };
  }

  private listLeftOut(status: FullResult['status']): SuiteEntry[] {
    const { entries } = this.leftOut;
    // If the run stopped or failed before Playwright selected tests, no filter left recipes out.
    if (this.tests.length > 0 || status === 'passed') return entries;
    const [detail = neverBeganText] = this.hostErrors;
    return entries.map(({ name, claims = [] }) => ({ name, claims, detail }));
  }

  /** Lists the reporters of the run. A merge has those of its own command line or config. */
  private listReporters(): readonly ReporterDescription[] {
    return this.isMerging ? findRequestedReporters() : (this.config?.reporter ?? []);
  }

  private chooseExitCode(exitCode: number): number {
    if (this.isEnded) return this.report.reconcileExitCode(exitCode);
    if (this.isMerging) return exitCode || 1;
    const { record } = this.report;
    return record && isTestRun() ? endWithoutThrowing(record, exitCode, describeEnding) : exitCode;
  }
}

function createSuiteEntry({ name, summary, again, claims }: PlaywrightPackage): SuiteEntry {
  return { name, summary, claims, ...(again === undefined ? {} : { again }) };
}
