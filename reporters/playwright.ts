// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { resolve } from 'node:path';
import type { ReporterDescription, WorkerInfo } from '@playwright/test';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestStep,
} from '@playwright/test/reporter';
import {
  archiveAttempt,
  clearPackage,
  type PackageSlot,
  packageName,
  placePackage,
  replacePackage,
} from '../src/evidence/packageDirs.js';
import { neverBeganText, type SuiteEntry, type SuiteRun } from '../src/evidence/suite.js';
import { writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { describeDifferingTrees, warnUnknownCommits } from '../src/evidence/suiteOrigin.js';
import type { PackageParts } from '../src/evidence/writePackage.js';
import { againBy } from '../src/hosts/playwright/againBy.js';
import { attachReview } from '../src/hosts/playwright/attachReview.js';
import { configFileIn, isTestRun } from '../src/hosts/playwright/commandLine.js';
import { endBySignal } from '../src/hosts/playwright/endBySignal.js';
import { hostProblems, messageOf } from '../src/hosts/playwright/hostProblems.js';
import { type LeftOut, leftOutOf } from '../src/hosts/playwright/leftOut.js';
import { LiveSteps } from '../src/hosts/playwright/liveSteps.js';
import { missingShards, type Shard } from '../src/hosts/playwright/missingShards.js';
import { claimsDeclared, notRun } from '../src/hosts/playwright/notRun.js';
import { isStdoutForMachines } from '../src/hosts/playwright/readersOfStdout.js';
import { identityOf, ownActionsOf, readNested, readResult } from '../src/hosts/playwright/readResult.js';
import { announceReporter, reportersAsked, withdrawReporter } from '../src/hosts/playwright/reporterPresence.js';
import { greenWithout, notMerged, tooLarge } from '../src/hosts/playwright/reporterWords.js';
import { endingOf, plannedNames } from '../src/hosts/playwright/runPlan.js';
import { entryOf, type Written } from '../src/hosts/playwright/written.js';
import type { Closing } from '../src/hosts/shared/closingText.js';
import { outputDirOf, rememberOutputDir } from '../src/hosts/shared/outputDirs.js';
import { failedBecause } from '../src/hosts/shared/outsideProblems.js';
import { printClosing } from '../src/hosts/shared/printClosing.js';
import { reporterFiles, reporterFilesOfEnv } from '../src/hosts/shared/reporterFiles.js';
import { ReviewWhenLoaded } from '../src/hosts/shared/reviewWhenLoaded.js';
import { endQuietly, forgetSuiteRecord, type SuiteRecord, suiteRecordOf } from '../src/hosts/shared/suiteRecord.js';
import { treeNotes } from '../src/hosts/shared/treeAtEnd.js';
import { disregardFiles, renewTree } from '../src/run/treeAtStart.js';
import { decideExitCode } from '../src/system/processes/decideExitCode.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the config file. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
  /** Warns when the packages of a run are larger together; 200 when nobody says. */
  sizeBudgetMb?: number;
};

type Ended = { test: TestCase; result: TestResult; outcome: Written['outcome']; slot: PackageSlot; write: typeof placePackage };

/** Of the last run of this process: a test server has many. */
let stopDeciding = (): void => undefined;

export default class RecipeReporter implements Reporter {
  private readonly outputDir: string;
  private readonly configDir: string;
  private planned: TestCase[] = [];
  private readonly written = new Map<string, Written>();
  private readonly problems: string[] = [];
  private readonly sizeBudgetMb: number;
  private size = 0;
  private readonly merged: Shard[] = [];
  private mergedReports = 0;
  private notes: readonly string[] = [];
  private readonly isListing: boolean;
  private readonly review = new ReviewWhenLoaded();
  private readonly live: LiveSteps | undefined;
  private listenNoMore = (): void => undefined;
  /** The index as the run goes on; one that is merged is over. */
  private readonly record: SuiteRecord | undefined;
  private readonly isMerging: boolean;
  private config: FullConfig | undefined;
  private leftOut: LeftOut = { entries: [], selection: [] };
  private readonly hostErrors: string[] = [];
  private tests: TestCase[] = [];
  /** The last test that ended in each worker, by the index of the worker. */
  private readonly lastIn = new Map<number, { test: TestCase; result: TestResult }>();
  private writeIndex: ((problems: readonly string[]) => void) | undefined;
  private isEnded = false;
  private isRed = false;
  private hasProblems = false;

  constructor(options: ReporterOptions & { configDir?: string; _mode?: string } = {}) {
    this.isListing = options._mode === 'list';
    this.isMerging = options._mode === 'merge';
    this.sizeBudgetMb = options.sizeBudgetMb ?? 200;
    this.configDir = options.configDir ?? process.cwd();
    this.outputDir = outputDirOf(this.configDir, options.outputDir);
    // What is merged is over.
    if (!this.isMerging) this.live = new LiveSteps(this.outputDir, (test) => this.nameOf(test));
    if (this.isListing) return;
    // Others may end the process before Playwright comes to the end of the run.
    stopDeciding();
    stopDeciding = decideExitCode((exitCode) => this.agreeOnExitCode(exitCode));
    if (this.isMerging) return;
    this.record = suiteRecordOf(this.outputDir);
    this.record.hasReporter = true;
    if (!this.record.isStarted) this.start(plannedNames());
  }

  printsToStdio(): boolean {
    return false;
  }

  /** How Playwright's own reporters speak with it: only so are we told of every report that is merged. */
  version(): 'v2' {
    return 'v2';
  }

  onConfigure(config: FullConfig): void {
    this.config = config;
    if (!this.record) return;
    rememberOutputDir(config.configFile ?? configFileIn(), this.outputDir);
    disregardFiles([...reporterFiles(config.reporter), ...reporterFilesOfEnv().map((path) => resolve(path))]);
  }

  // When it cannot be written now, it cannot be at the end either, and that is told.
  private start(entries: readonly SuiteEntry[], selection?: readonly string[]): void {
    try {
      this.record?.start(entries, selection);
    } catch {
      // EACCES, ENOSPC, or a file of somebody else.
    }
  }

  /** An error that comes when a worker has no test any more may be one that the last test left behind. */
  onError(error: TestError, workerInfo?: WorkerInfo): void {
    const message = messageOf(error);
    this.hostErrors.push(message);
    const last = workerInfo && this.lastIn.get(workerInfo.workerIndex);
    const identity = last && identityOf(last.test);
    if (!last || !identity || identity.invalid || last.result.status === 'skipped') return;
    const parts = readResult(identity, last.result);
    const hostFailure = parts.hostFailure ?? `an error came in its worker after the test (${message})`;
    this.place(last.test, last.result, { ...parts, hostFailure }, replacePackage);
  }

  /** A version that does not know the above gives its config first. */
  onBegin(given: FullConfig | Suite, second?: Suite): void {
    // Nothing will run, so the packages that lie there stay.
    if (this.isListing) return;
    announceReporter();
    const suite = second ?? (given as Suite);
    if (second) this.onConfigure(given as FullConfig);
    this.written.clear();
    this.tests = suite.allTests();
    this.planned = this.tests.filter((test) => identityOf(test));
    if (this.planned.length > 0) this.review.load();
    // An old package must not speak for a recipe that this run does not come to.
    for (const test of this.planned) {
      const identity = identityOf(test);
      if (identity) this.attempt(identity.id, () => clearPackage(this.slot(identity.id, test, 0)));
    }
    this.leftOut = leftOutOf(suite, { config: this.config, nameOf: (test) => this.nameOf(test), isMerging: this.isMerging });
    const planned = this.planned.map((test) => ({ name: this.nameOf(test) ?? '', claims: claimsDeclared(test) }));
    this.start([...planned, ...this.leftOut.entries], this.leftOut.selection);
    this.listenNoMore = endBySignal();
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

  private nameOf(test: TestCase): string | undefined {
    const id = identityOf(test)?.id;
    return id === undefined ? undefined : packageName(this.slot(id, test, 0));
  }

  // Playwright swallows what a reporter throws, so keep it for the end.
  private attempt(id: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.fail(id, thrown);
    }
  }

  private fail(id: string, thrown: unknown): void {
    this.problems.push(`${id}: it could not be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }

  onStepBegin(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.began(test, result, step);
  }

  onStepEnd(test: TestCase, result: TestResult, step: TestStep): void {
    this.live?.ended(test, result, step);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.lastIn.set(result.workerIndex, { test, result });
    const identity = identityOf(test);
    if (identity && (identity.invalid || result.status === 'skipped')) return;
    this.review.use((reviews) => reviews.declareActions(ownActionsOf(result)));
    if (identity) this.place(test, result, readResult(identity, result));
    else this.placeNested(test, result);
  }

  private placeNested(test: TestCase, result: TestResult): void {
    const nested = readNested(result);
    // The last attempt of a test may run other recipes than the one before, and only the last one counts.
    this.review.use(() => {
      for (const [key, { slot }] of this.written) {
        if (!key.startsWith(`${test.id} `)) continue;
        this.written.delete(key);
        if (!nested.some(({ id }) => id === slot.id)) this.attempt(slot.id, () => archiveAttempt(slot));
      }
    });
    for (const parts of nested) this.place(test, result, parts);
  }

  private place(test: TestCase, result: TestResult, parts: PackageParts, write = placePackage): void {
    const outcome = result.status === 'interrupted' ? 'unexpected' : test.outcome();
    const slot = this.slot(parts.id, test, result.retry);
    this.review.use((reviews) =>
      this.attempt(parts.id, () => {
        const review = reviews.open(packageName(slot));
        this.write({ test, result, outcome, slot, write }, { ...parts, review });
      }),
    );
  }

  private write({ test, result, outcome, slot, write }: Ended, parts: PackageParts): void {
    const built = write(slot, parts);
    const { dir, summary, manifest } = built;
    this.size += manifest.artifacts.reduce((sum, { size }) => sum + size, 0);
    const isNested = !identityOf(test);
    const again = summary.status === 'pass' ? {} : { again: againBy(test, this.configDir, this.planned) };
    const claims = isNested ? [] : claimsDeclared(test);
    const written = { name: packageName(slot), slot, dir, summary, outcome, isNested, claims, earlier: slot.attempt, ...again };
    this.written.set(isNested ? `${test.id} ${parts.id}` : test.id, written);
    this.record?.put(isNested ? entryOf(written) : this.resolve(test));
    const title = isNested ? `Review of ${parts.id}` : 'Review';
    attachReview(result, { slot, title }, built);
    this.live?.over(packageName(slot));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    await this.review.allDone().catch((thrown) => this.fail('review.html', thrown));
    this.notes = this.lookAtTree();
    const unlike = [...this.written.values()].filter(
      ({ summary, outcome }) => outcome !== 'unexpected' && summary.status !== 'pass',
    );
    for (const { summary } of unlike) this.problems.push(greenWithout(summary));
    const missing = [...missingShards(this.merged).map(notMerged), ...describeDifferingTrees([...this.written.values()])];
    for (const { name, detail } of missing) this.problems.push(`${name}: ${detail}`);
    const entries = [...this.planned.map((test) => this.resolve(test)), ...this.nested()];
    this.writeIndex = this.indexOf(entries, result.status);
    const { hostErrors: errors, tests } = this;
    const outside = hostProblems({ status: result.status, errors, tests });
    this.attempt('the index', () => this.writeIndex?.([...this.problems, ...outside]));
    forgetSuiteRecord(this.outputDir);
    if (this.written.size > 0 || this.problems.length > 0) printClosing(this.closing(), isStdoutForMachines(this.reporters()));
    this.live?.allOver();
    this.listenNoMore();
    withdrawReporter();
    this.isRed = this.problems.length > 0 || !this.isGreen();
    this.isEnded = true;
    return result.status === 'passed' && this.problems.length > 0 ? { status: 'failed' } : undefined;
  }

  private lookAtTree(): string[] {
    const { outputDir, review, isMerging, mergedReports } = this;
    const all = [...this.written.values()];
    if (isMerging) return mergedReports > 1 ? warnUnknownCommits(all) : [];
    const written = all.map((one) => [one.name, one] as const);
    return this.isListing ? [] : treeNotes({ outputDir, written, review, attempt: (id, work) => this.attempt(id, work) });
  }

  /** Other reporters may have ended the run otherwise by now, or end the process while we write. */
  private agreeOnExitCode(exitCode: number): number {
    if (!this.isEnded) return this.agreeUnfinished(exitCode);
    if (this.isRed) return exitCode || 1;
    if (exitCode === 0 || this.hasProblems) return exitCode;
    try {
      this.writeIndex?.([failedBecause(`Playwright ended with exit code ${exitCode}.`)]);
    } catch {
      // ENOSPC, EROFS: the index that could not be written again is gone, which claims nothing.
    }
    return exitCode;
  }

  private agreeUnfinished(exitCode: number): number {
    if (this.isMerging) return exitCode || 1;
    return this.record && isTestRun() ? endQuietly(this.record, exitCode, endingOf) : exitCode;
  }

  /** Writes the index of a run that has ended; again, when more is known. */
  private indexOf(entries: readonly SuiteEntry[], status: FullResult['status']): (problems: readonly string[]) => void {
    const view = this.review.view(this.planned.flatMap((test) => identityOf(test)?.file ?? []));
    const { entries: left, selection } = this.leftOut;
    // A run that was stopped, or failed, before its tests were chosen left nothing out on purpose.
    const isChosen = this.tests.length > 0 || status === 'passed';
    const [detail = neverBeganText] = this.hostErrors;
    const others = isChosen ? left : left.map(({ name, claims = [] }) => ({ name, claims, detail }));
    return (problems) => {
      this.hasProblems = problems.length > 0;
      const run: SuiteRun = { selection, problems, notes: this.notes };
      if (this.record) this.record.end([...entries, ...others], view, run);
      else writeSuiteIndex(this.outputDir, [...entries, ...others], view, run);
    };
  }

  private isGreen(): boolean {
    const entries = [...this.planned.map((test) => this.resolve(test)), ...this.nested()];
    return entries.every(({ summary, skipped }) => skipped || summary?.status === 'pass');
  }

  // Every planned recipe, the last attempt of each.
  private resolve(test: TestCase): SuiteEntry {
    const name = this.nameOf(test) ?? '';
    const written = this.written.get(test.id);
    return written
      ? { ...entryOf(written), isFlaky: written.outcome === 'flaky', earlier: written.earlier }
      : { name, claims: claimsDeclared(test), ...notRun(test) };
  }

  private nested(): SuiteEntry[] {
    return [...this.written.values()].filter(({ isNested }) => isNested).map(entryOf);
  }

  /** What is merged has the reporters of the command line, or of the config that was loaded for it. */
  private reporters(): readonly ReporterDescription[] {
    return this.isMerging ? reportersAsked() : (this.config?.reporter ?? []);
  }

  private closing(): Closing {
    const { outputDir, problems } = this;
    const notes = [...this.notes, ...tooLarge(Math.ceil(this.size / 1_000_000), this.sizeBudgetMb)];
    const written = [...this.written.values()].map((one) => ({ ...one, isFlaky: one.outcome === 'flaky' }));
    return { outputDir, written, problems, notes };
  }
}
