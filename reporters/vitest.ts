// Builds the evidence package of every recipe from the files and events of its Vitest test, without the engine.
import { inspect } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { clearPackage, type PackageSlot, packageName, placePackage } from '../src/evidence/packageDirs.js';
import type { DeclaredClaim, SuiteEntry } from '../src/evidence/suite.js';
import type { PackageParts } from '../src/evidence/writePackage.js';
import { type DeclaredIdentity, readDeclaredTests } from '../src/hosts/shared/declaredTests.js';
import { rememberOutputDir, resolveOutputDir } from '../src/hosts/shared/outputDirs.js';
import { describeLeftOut, getSuiteRecord } from '../src/hosts/shared/suiteRecord.js';
import { decideExitCodeOfRun, type ReportedPackage, SuiteReport } from '../src/hosts/shared/suiteReport.js';
import { isCancelling } from '../src/hosts/vitest/internals/isCancelling.js';
import { selectionOf } from '../src/hosts/vitest/internals/runFilters.js';
import { LiveTests } from '../src/hosts/vitest/liveTests.js';
import { plannedRecipes } from '../src/hosts/vitest/plannedRecipes.js';
import { isStdoutForMachines } from '../src/hosts/vitest/reporterConfig.js';
import { rerunCommand } from '../src/hosts/vitest/rerunCommand.js';
import { documentsOfRun, removeRunDir } from '../src/hosts/vitest/runDir.js';
import { type EvidenceProblems, listHostProblems, onRunEnd, type RunEnd } from '../src/hosts/vitest/runEnd.js';
import { describeFailure, identityOf, packagePartsOf, readAttempts } from '../src/hosts/vitest/testPackages.js';
import { rereadTree } from '../src/run/treeAtStart.js';

export type ReporterOptions = {
  /** The folder of the packages, relative to the root of the Vitest project. RECIPEWRIGHT_OUTPUT_DIR overrides this option. */
  outputDir?: string;
};

type VitestPackage = ReportedPackage & {
  /** The command that runs the test of the recipe again. Empty for a recipe that passed. */
  again: string;
};

/** A test of the run before its package is written. */
type PlannedTest = Pick<SuiteEntry, 'detail' | 'skipped' | 'notRun'> & { claims?: readonly DeclaredClaim[] };

export default class RecipeReporter implements Reporter {
  /** onInit() replaces this report, because the output directory is not known before. */
  private report = new SuiteReport<VitestPackage>('Vitest', '');
  private vitest: Vitest | undefined;
  private attachmentsDir = '';
  private isStdoutForMachines = false;
  private live: LiveTests | undefined;
  /** The planned tests, by the names of their packages. */
  private readonly planned = new Map<string, PlannedTest>();
  private readonly documents = new Set<string>();
  /** The paths of all test files of the run. */
  private modules: readonly string[] = [];
  private selection: readonly string[] = [];
  private leftOut: SuiteEntry[] = [];
  /** Problems with the evidence of a test, by the id of the test. */
  private readonly evidenceErrors = new Map<string, string>();
  /** Whether watch mode runs tests again. */
  private isRerun = false;
  /** Whether Vitest ended the run because of the option `bail`. */
  private isBailed = false;
  private isFinished = false;

  constructor(private readonly options: ReporterOptions = {}) {}

  onInit(vitest: Vitest): void {
    const { root, attachmentsDir } = vitest.config;
    this.isStdoutForMachines = isStdoutForMachines(vitest.config);
    this.vitest = vitest;
    // Registered early, because other code of the process cannot bypass a decision that is registered now.
    decideExitCodeOfRun((code) => code, printThrown);
    onRunEnd((end) => this.finish(end));
    const outputDir = resolveOutputDir(root, this.options.outputDir);
    this.report = new SuiteReport('Vitest', outputDir);
    const { configFile } = vitest.vite.config;
    if (configFile && !vitest.config.mergeReports) rememberOutputDir(configFile, outputDir);
    this.attachmentsDir = attachmentsDir;
    this.live = new LiveTests(outputDir, ({ id }, test) => packageName(this.createSlot(id, test.project.name, 0)));
  }

  onWatcherRerun(): void {
    this.isRerun = true;
  }

  async onTestRunStart(specified: readonly TestSpecification[]): Promise<void> {
    if (this.isBenchmark) return;
    rereadTree();
    const specifications = await this.selectShard(specified);
    this.report.clear();
    this.planned.clear();
    this.documents.clear();
    this.evidenceErrors.clear();
    this.isFinished = false;
    this.isBailed = false;
    this.modules = specifications.map(({ moduleId }) => moduleId);
    for (const { moduleId, project } of specifications) {
      const projectRoot = documentsOfRun().get(moduleId);
      const tests = projectRoot === undefined ? [] : readDeclaredTests(moduleId, projectRoot);
      for (const { identity, claims } of tests) {
        this.documents.add(identity.file);
        const slot = this.createSlot(identity.id, project.name, 0);
        this.planned.set(packageName(slot), { claims });
        this.report.review.load();
        // Removes the old package, because this run may not reach the recipe.
        this.report.runGuarded(slot.id, () => clearPackage(slot));
      }
    }
    this.startRecord();
  }

  /** Listens again for each module, because Vitest drops its listeners after the start of a run. A listener that is added twice is called once. */
  onTestModuleQueued(): void {
    this.vitest?.onCancel(this.noteCancel);
  }

  private readonly noteCancel = (reason: string): void => {
    this.isBailed = reason === 'test-failure';
  };

  /** Whether this is a run of `vitest bench`, which runs no recipes, but calls the reporters of the config or of the command line. */
  private get isBenchmark(): boolean {
    const { mode, projects = [] } = (this.vitest ?? {}) as Benchmarking;
    return mode === 'benchmark' || (projects.length > 0 && projects.every(({ config }) => config.benchmark?.enabled));
  }

  /** Selects the files of this shard as Vitest does later, because Vitest reports the files of all shards at first. */
  private async selectShard(specifications: readonly TestSpecification[]): Promise<readonly TestSpecification[]> {
    const { vitest } = this;
    if (!vitest?.config.shard) return specifications;
    return await new vitest.config.sequence.sequencer(vitest).shard([...specifications]);
  }

  /** Starts the index, which lists the planned recipes without results. */
  private startRecord(): void {
    if (!this.vitest) return;
    const selection = [...selectionOf(this.vitest), ...(this.isRerun ? ['the rerun of watch mode'] : [])];
    const others = plannedRecipes().filter(({ name }) => !this.planned.has(name));
    const why = selection.length > 0 ? selection : ['a filter of the config'];
    this.selection = others.length > 0 ? why : selection;
    this.leftOut = others.map(({ name, claims = [] }) => ({ name, claims, ...describeLeftOut(why) }));
    if (this.vitest.config.mergeReports) return;
    const record = getSuiteRecord(this.report.outputDir);
    this.report.record = record;
    const planned = [...this.planned].map(([name, { claims = [] }]) => ({ name, claims }));
    this.report.runGuarded('the index', () => record.start([...planned, ...this.leftOut], this.selection));
  }

  private createSlot(id: string, project: string, attempt: number): PackageSlot {
    return { outputDir: this.report.outputDir, id, repeat: 0, attempt, ...(project === '' ? {} : { project }) };
  }

  onTestCaseAnnotate(test: TestCase, { type }: { type: string }): void {
    this.live?.noteNode(test, type);
  }

  async onTestCaseResult(test: TestCase): Promise<void> {
    const identity = identityOf(test);
    if (!identity) return;
    this.place(test, identity);
    // Waits, so that a package that could not be written is recorded before the run ends. The end of the run reports errors of the
    // review pages, so they are ignored here.
    await this.report.review.waitUntilDone().catch(() => undefined);
  }

  private place(test: TestCase, identity: DeclaredIdentity): void {
    const { state } = test.result();
    this.documents.add(identity.file);
    this.report.review.use((reviews) => reviews.declareActions(identity.ownActions ?? []));
    const slot = this.createSlot(identity.id, test.project.name, 0);
    const name = packageName(slot);
    const attempts = identity.invalid ? [] : readAttempts(test, this.attachmentsDir);
    const { claims = [] } = this.planned.get(name) ?? {};
    const isSkipped = state === 'skipped' && attempts.length === 0;
    this.planned.set(name, { claims, ...(isSkipped ? this.describeSkipped(identity) : describeInvalid(identity)) });
    const hasTestPassed = state === 'passed';
    const isFlaky = hasTestPassed && test.diagnostic()?.flaky === true;
    for (const attempt of attempts) {
      const isLast = attempt === attempts.at(-1);
      const failure = isLast ? describeFailure(test) : undefined;
      const write = (review: PackageParts['review']): void => {
        const parts = { ...packagePartsOf(identity, attempt, failure), review };
        const { dir, summary } = placePackage({ ...slot, attempt: attempt.attempt }, parts);
        const again = summary.status === 'pass' ? '' : rerunCommand(test, this.modules);
        this.report.packages.set(name, { name, dir, summary, hasTestPassed, isFlaky, earlier: attempt.attempt, again });
        if (hasTestPassed && isLast && summary.status !== 'pass')
          this.evidenceErrors.set(test.id, `The evidence of the test says ${summary.status}: ${summary.reason}`);
        this.live?.endTest(name);
        this.report.record?.put(this.createEntry(name, { claims }));
      };
      this.report.writeReviewed({ id: identity.id, name }, write, (why) =>
        this.evidenceErrors.set(test.id, `The evidence of the test could not be written: ${why}`),
      );
    }
  }

  /** Describes why Vitest skipped the test of a recipe: because of its document, because of a filter, or because the run is ending. */
  private describeSkipped({ skip }: DeclaredIdentity): PlannedTest {
    if (skip !== undefined) return { skipped: true, detail: `The test was skipped: ${skip}` };
    if (isCancelling(this.vitest)) return this.isBailed ? describeLeftOut([this.bailOption]) : {};
    return this.selection.length > 0 ? describeLeftOut(this.selection) : { skipped: true, detail: 'The test was skipped.' };
  }

  private get bailOption(): string {
    return `--bail=${this.vitest?.config.bail ?? 1}`;
  }

  /** Ends the run, except for the printed summary, unless the code of the review pages is still being loaded. */
  private finish(end: RunEnd): EvidenceProblems {
    if (!this.isFinished && (this.planned.size === 0 || this.report.review.isLoaded)) this.finishNow(end);
    return { tests: this.evidenceErrors, run: this.report.listProblems() };
  }

  private finishNow(end: RunEnd): void {
    this.isFinished = true;
    for (const module of end.modules)
      for (const test of module.children.allTests()) {
        const identity = identityOf(test);
        const name = identity && packageName(this.createSlot(identity.id, test.project.name, 0));
        const isCurrent =
          name !== undefined && this.report.packages.get(name)?.hasTestPassed === (test.result().state === 'passed');
        // The worker of the test died and reported nothing, or Vitest changed the result later.
        if (identity && !isCurrent) this.place(test, identity);
      }
    if (this.isBailed) this.markUnreached();
    if (this.vitest?.config.mergeReports) this.report.noteUnknownCommits();
    else this.report.noteTreeChanges();
    const isIgnored = this.vitest?.config.dangerouslyIgnoreUnhandledErrors;
    const reason = this.isBailed ? 'failed' : end.reason;
    this.report.end({
      entries: [...this.planned].map(([name, planned]) => this.createEntry(name, planned)),
      leftOut: this.leftOut,
      selection: this.selection,
      outsideProblems: listHostProblems({ ...end, reason, unhandled: isIgnored ? [] : end.unhandled }),
      documents: [...this.documents],
      // With --project, the recipes of other projects are not known here.
      isWhole: [this.vitest?.config.project ?? []].flat().length === 0,
    });
  }

  /** Marks the tests that a run with --bail did not reach. A test that was interrupted has a package that says so. */
  private markUnreached(): void {
    for (const [name, { claims = [], detail, skipped }] of this.planned)
      if (!this.report.packages.has(name) && detail === undefined && !skipped)
        this.planned.set(name, { claims, ...describeLeftOut([this.bailOption]) });
    const hasUnreached = [...this.planned.values()].some(({ detail }) => detail === describeLeftOut([this.bailOption]).detail);
    if (hasUnreached) this.selection = [...this.selection, this.bailOption];
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    if (this.isBenchmark) return;
    await this.report.waitUntilWritten();
    if (!this.isFinished) this.finishNow({ modules, unhandled, reason });
    this.report.printRunSummary(this.isStdoutForMachines);
    this.live?.endAll();
    this.report.runGuarded('the cache', removeRunDir);
    if (this.report.hasFailed) process.exitCode ||= 1;
    decideExitCodeOfRun((code) => this.chooseExitCode(code), printThrown);
  }

  private chooseExitCode(code: number): number {
    // In watch mode, the exit code may be that of an earlier run.
    const isOfEarlierRun = this.vitest?.config.watch && !this.report.hasFailed;
    return isOfEarlierRun ? code : this.report.reconcileExitCode(code);
  }

  private createEntry(name: string, planned: PlannedTest): SuiteEntry {
    const reportedPackage = this.report.packages.get(name);
    return reportedPackage ? { claims: planned.claims ?? [], ...reportedPackage } : { name, ...planned };
  }
}

/** Benchmarks are a mode in Vitest 4, and projects in Vitest 5. */
type Benchmarking = { mode?: string; projects?: readonly { config: { benchmark?: { enabled?: boolean } } }[] };

/** Prints an error as Node does for an uncaught error. */
function printThrown(thrown: unknown): void {
  process.stderr.write(`${inspect(thrown)}\n`);
  process.exitCode ||= 1;
}

function describeInvalid({ invalid, problem = 'The recipe is not valid, so it did not run.' }: DeclaredIdentity): PlannedTest {
  return invalid ? { detail: problem } : {};
}
