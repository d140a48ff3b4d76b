// Builds the evidence package of every recipe from what its test left. It reads events, never the engine.
import { inspect } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { clearPackage, type PackageSlot, packageName, placePackage } from '../src/evidence/packageDirs.js';
import type { DeclaredClaim, SuiteEntry } from '../src/evidence/suite.js';
import { writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { describeDifferingTrees, warnUnknownCommits } from '../src/evidence/suiteOrigin.js';
import type { PackageParts, Summary } from '../src/evidence/writePackage.js';
import type { Identity } from '../src/hosts/shared/declaredTests.js';
import { testsOfFile } from '../src/hosts/shared/declaredTests.js';
import { outputDirOf, rememberOutputDir } from '../src/hosts/shared/outputDirs.js';
import { failedBecause } from '../src/hosts/shared/outsideProblems.js';
import { printClosing } from '../src/hosts/shared/printClosing.js';
import { ReviewWhenLoaded } from '../src/hosts/shared/reviewWhenLoaded.js';
import { forgetSuiteRecord, leftOut, type SuiteRecord, suiteRecordOf } from '../src/hosts/shared/suiteRecord.js';
import { treeNotes } from '../src/hosts/shared/treeAtEnd.js';
import { isCancelling } from '../src/hosts/vitest/internals/isCancelling.js';
import { selectionOf } from '../src/hosts/vitest/internals/runFilters.js';
import { LiveTests } from '../src/hosts/vitest/liveTests.js';
import { plannedRecipes } from '../src/hosts/vitest/plannedRecipes.js';
import { isStdoutForMachines } from '../src/hosts/vitest/reporterConfig.js';
import { rerunCommand } from '../src/hosts/vitest/rerunCommand.js';
import { documentsOfRun, removeRunDir } from '../src/hosts/vitest/runDir.js';
import { type EvidenceProblems, listHostProblems, onRunEnd, type RunEnd } from '../src/hosts/vitest/runEnd.js';
import { describeFailure, identityOf, packagePartsOf, readAttempts } from '../src/hosts/vitest/testPackages.js';
import { renewTree } from '../src/run/treeAtStart.js';
import { decideExitCode } from '../src/system/processes/decideExitCode.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the root of the Vitest project. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
};

type Written = { dir: string; summary: Summary; isGreen: boolean; isFlaky: boolean; earlier: number; again: string };

/** One test of the run, before its package is there. */
type Planned = Pick<SuiteEntry, 'detail' | 'skipped' | 'notRun'> & { claims?: readonly DeclaredClaim[] };

/** Of the last run of this process. */
let withdrawDecision = (): void => undefined;

export default class RecipeReporter implements Reporter {
  private outputDir = '';
  private attachmentsDir = '';
  private isStdoutForMachines = false;
  private readonly planned = new Map<string, Planned>();
  private readonly written = new Map<string, Written>();
  private modules: readonly string[] = [];
  private readonly problems = new Set<string>();
  /** What is wrong with the evidence of a test, by its id. */
  private readonly lost = new Map<string, string>();
  private outside: readonly string[] = [];
  private notes: readonly string[] = [];
  private isFinished = false;
  private isRed = false;
  private writeIndex: ((problems: readonly string[]) => void) | undefined;
  private readonly files = new Set<string>();
  private readonly review = new ReviewWhenLoaded();
  private live: LiveTests | undefined;
  private vitest: Vitest | undefined;
  /** The index as the run goes on; one that is merged is over. */
  private record: SuiteRecord | undefined;
  private selection: readonly string[] = [];
  private leftOut: SuiteEntry[] = [];
  private isRerun = false;
  /** Vitest ended the run after as many failures as `bail` allows. */
  private isBailed = false;

  constructor(private readonly options: ReporterOptions = {}) {}

  onInit(vitest: Vitest): void {
    const { root, attachmentsDir } = vitest.config;
    this.isStdoutForMachines = isStdoutForMachines(vitest.config);
    this.vitest = vitest;
    // Early, so that nobody puts back what was there before.
    withdrawDecision();
    withdrawDecision = decideExitCode((code) => code, tellThrown);
    onRunEnd((end) => this.finish(end));
    this.outputDir = outputDirOf(root, this.options.outputDir);
    const { configFile } = vitest.vite.config;
    if (configFile && !vitest.config.mergeReports) rememberOutputDir(configFile, this.outputDir);
    this.attachmentsDir = attachmentsDir;
    this.live = new LiveTests(this.outputDir, ({ id }, test) => packageName(this.slot(id, test.project.name, 0)));
  }

  /** Watch mode runs what changed, or what somebody asked for. */
  onWatcherRerun(): void {
    this.isRerun = true;
  }

  async onTestRunStart(specified: readonly TestSpecification[]): Promise<void> {
    if (this.isBenchmark) return;
    renewTree();
    const specifications = await this.ofShard(specified);
    this.planned.clear();
    this.written.clear();
    this.files.clear();
    this.problems.clear();
    this.lost.clear();
    this.isFinished = false;
    this.isBailed = false;
    this.modules = specifications.map(({ moduleId }) => moduleId);
    for (const { moduleId, project } of specifications) {
      const projectRoot = documentsOfRun().get(moduleId);
      const tests = projectRoot === undefined ? [] : testsOfFile(moduleId, projectRoot);
      for (const { identity, claims } of tests) {
        this.files.add(identity.file);
        const slot = this.slot(identity.id, project.name, 0);
        this.planned.set(packageName(slot), { claims });
        this.review.load();
        // An old package must not speak for a recipe that this run does not come to.
        this.attempt(slot.id, () => clearPackage(slot));
      }
    }
    this.begin();
  }

  /** Vitest forgets its listeners between the start of a run and its first module, and keeps one that is added twice only once. */
  onTestModuleQueued(): void {
    this.vitest?.onCancel(this.noteCancel);
  }

  private readonly noteCancel = (reason: string): void => {
    this.isBailed = reason === 'test-failure';
  };

  /** `vitest bench` runs no recipes, but gives reporters of the config or of the command line to its benchmarks. */
  private get isBenchmark(): boolean {
    const { mode, projects = [] } = (this.vitest ?? {}) as Benchmarking;
    return mode === 'benchmark' || (projects.length > 0 && projects.every(({ config }) => config.benchmark?.enabled));
  }

  /** Vitest tells of the files of all shards, and chooses among them afterwards by the same means. */
  private async ofShard(specifications: readonly TestSpecification[]): Promise<readonly TestSpecification[]> {
    const { vitest } = this;
    if (!vitest?.config.shard) return specifications;
    return await new vitest.config.sequence.sequencer(vitest).shard([...specifications]);
  }

  /** From here on the index says what is planned, and that nothing of it is known. */
  private begin(): void {
    if (!this.vitest) return;
    const selection = [...selectionOf(this.vitest), ...(this.isRerun ? ['what watch mode ran again'] : [])];
    const others = plannedRecipes().filter(({ name }) => !this.planned.has(name));
    const why = selection.length > 0 ? selection : ['a filter of the config'];
    this.selection = others.length > 0 ? why : selection;
    this.leftOut = others.map(({ name, claims = [] }) => ({ name, claims, ...leftOut(why) }));
    if (this.vitest.config.mergeReports) return;
    this.record = suiteRecordOf(this.outputDir);
    const planned = [...this.planned].map(([name, { claims = [] }]) => ({ name, claims }));
    this.attempt('suite.json', () => this.record?.start([...planned, ...this.leftOut], this.selection));
  }

  private slot(id: string, project: string, attempt: number): PackageSlot {
    return { outputDir: this.outputDir, id, repeat: 0, attempt, ...(project === '' ? {} : { project }) };
  }

  // What a reporter throws would end the run with a message of its own.
  private attempt(id: string, work: () => void, test?: TestCase): void {
    try {
      work();
    } catch (thrown) {
      this.fail(id, thrown, test);
    }
  }

  private fail(id: string, thrown: unknown, test?: TestCase): void {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    this.problems.add(`${id}: it could not be written: ${why}`);
    if (test) this.lost.set(test.id, `The evidence of the test could not be written: ${why}`);
  }

  onTestCaseAnnotate(test: TestCase, { type }: { type: string }): void {
    this.live?.noteNode(test, type);
  }

  async onTestCaseResult(test: TestCase): Promise<void> {
    const identity = identityOf(test);
    if (!identity) return;
    this.place(test, identity);
    // What cannot be written is to be known before the run is over. The end of the run tells why it could not be loaded.
    await this.review.allDone().catch(() => undefined);
  }

  private place(test: TestCase, identity: Identity): void {
    const { state } = test.result();
    this.files.add(identity.file);
    this.review.use((reviews) => reviews.declareActions(identity.ownActions ?? []));
    const slot = this.slot(identity.id, test.project.name, 0);
    const name = packageName(slot);
    const attempts = identity.invalid ? [] : readAttempts(test, this.attachmentsDir);
    const { claims = [] } = this.planned.get(name) ?? {};
    const isSkipped = state === 'skipped' && attempts.length === 0;
    this.planned.set(name, { claims, ...(isSkipped ? this.whySkipped(identity) : whyInvalid(identity)) });
    for (const attempt of attempts) {
      const failure = attempt === attempts.at(-1) ? describeFailure(test) : undefined;
      const isFlaky = state === 'passed' && test.diagnostic()?.flaky === true;
      const write = (review: PackageParts['review']): void => {
        const parts = { ...packagePartsOf(identity, attempt, failure), review };
        const { dir, summary } = placePackage({ ...slot, attempt: attempt.attempt }, parts);
        this.written.set(name, {
          dir,
          summary,
          isGreen: state === 'passed',
          isFlaky,
          earlier: attempt.attempt,
          again: summary.status === 'pass' ? '' : rerunCommand(test, this.modules),
        });
        if (state === 'passed' && summary.status !== 'pass' && attempt === attempts.at(-1))
          this.lost.set(test.id, `The evidence of the test says ${summary.status}: ${summary.reason}`);
        this.live?.endTest(name);
        this.record?.put(this.entry(name, { claims }));
      };
      this.review.use((reviews) => this.attempt(identity.id, () => write(reviews.open(name)), test));
    }
  }

  /** A test of ours is skipped by Vitest for what it says itself, for a filter, or because the run is being ended. */
  private whySkipped({ skip }: Identity): Planned {
    if (skip !== undefined) return { skipped: true, detail: `The test was skipped: ${skip}` };
    if (isCancelling(this.vitest)) return this.isBailed ? leftOut([this.bail]) : {};
    return this.selection.length > 0 ? leftOut(this.selection) : { skipped: true, detail: 'The test was skipped.' };
  }

  private get bail(): string {
    return `--bail=${this.vitest?.config.bail ?? 1}`;
  }

  /** Everything but the closing lines. Without the code of the review pages it has to wait for that. */
  private finish(end: RunEnd): EvidenceProblems {
    if (!this.isFinished && (this.planned.size === 0 || this.review.isLoaded)) this.finishNow(end);
    return { tests: this.lost, run: [...this.problems] };
  }

  private finishNow(end: RunEnd): void {
    this.isFinished = true;
    for (const module of end.modules)
      for (const test of module.children.allTests()) {
        const identity = identityOf(test);
        const name = identity && packageName(this.slot(identity.id, test.project.name, 0));
        const isTold = name !== undefined && this.written.get(name)?.isGreen === (test.result().state === 'passed');
        // Its worker died and told nothing, or something was told of it later.
        if (identity && !isTold) this.place(test, identity);
      }
    const isIgnored = this.vitest?.config.dangerouslyIgnoreUnhandledErrors;
    const reason = this.isBailed ? 'failed' : end.reason;
    this.outside = listHostProblems({ ...end, reason, unhandled: isIgnored ? [] : end.unhandled });
    if (this.isBailed) this.leaveOutUnbegun();
    this.end();
  }

  /** What the run did not come to. A test that was ended halfway has a package that says so. */
  private leaveOutUnbegun(): void {
    for (const [name, { claims = [], detail, skipped }] of this.planned)
      if (!this.written.has(name) && detail === undefined && !skipped)
        this.planned.set(name, { claims, ...leftOut([this.bail]) });
    const isLeft = [...this.planned.values()].some(({ detail }) => detail === leftOut([this.bail]).detail);
    if (isLeft) this.selection = [...this.selection, this.bail];
  }

  private end(): void {
    for (const { summary, isGreen } of this.written.values())
      if (isGreen && summary.status !== 'pass')
        this.problems.add(`${summary.recipe.id}: the test is green, but its evidence says ${summary.status}: ${summary.reason}`);
    this.notes = this.lookAtTree();
    const entries = [...this.planned].map(([name, planned]) => this.entry(name, planned));
    for (const { name, detail } of describeDifferingTrees(entries)) this.problems.add(`${name}: ${detail}`);
    this.writeIndex = this.indexOf(entries);
    this.attempt('suite.json', () => this.writeIndex?.([...this.problems, ...this.outside]));
    forgetSuiteRecord(this.outputDir);
    const isGreen = entries.every(({ summary, skipped, notRun }) => summary?.status === 'pass' || skipped || notRun);
    this.isRed = this.problems.size > 0 || !isGreen;
  }

  private lookAtTree(): string[] {
    const { outputDir, written, review, vitest } = this;
    if (vitest?.config.mergeReports) return warnUnknownCommits([...written.values()]);
    return treeNotes({ outputDir, written, review, attempt: (id, work) => this.attempt(id, work) });
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    if (this.isBenchmark) return;
    await this.review.allDone().catch((thrown) => this.fail('review.html', thrown));
    if (!this.isFinished) this.finishNow({ modules, unhandled, reason });
    const [written, problems] = [[...this.written.values()], [...this.problems]];
    if (written.length > 0 || problems.length > 0)
      printClosing({ outputDir: this.outputDir, written, problems, notes: this.notes }, this.isStdoutForMachines);
    this.live?.endAll();
    this.attempt('the cache', removeRunDir);
    if (this.isRed) process.exitCode ||= 1;
    withdrawDecision();
    withdrawDecision = decideExitCode((code) => this.agreeOnExitCode(code), tellThrown);
  }

  /** Others in this process may have set it since. */
  private agreeOnExitCode(code: number): number {
    if (this.isRed) return code || 1;
    // In watch mode it is that of some earlier run.
    if (code === 0 || this.outside.length > 0 || this.vitest?.config.watch) return code;
    try {
      this.writeIndex?.([failedBecause(`Vitest ended with exit code ${code}.`)]);
    } catch {
      // ENOSPC, EROFS: the index that could not be written again is gone, which claims nothing.
    }
    return code;
  }

  /** Writes the index of a run that has ended; again, when more is known. */
  private indexOf(entries: readonly SuiteEntry[]): (problems: readonly string[]) => void {
    const view = this.review.view([...this.files]);
    const all = [...entries, ...this.leftOut];
    // Projects that were not asked for are not known here.
    const isWhole = ![this.vitest?.config.project ?? []].flat().length;
    return (problems) => {
      const run = { selection: this.selection, problems, notes: this.notes };
      if (this.record) this.record.end(all, view, { ...run, isWhole });
      else writeSuiteIndex(this.outputDir, all, view, run);
    };
  }

  private entry(name: string, planned: Planned): SuiteEntry {
    const written = this.written.get(name);
    return written ? { name, claims: planned.claims ?? [], ...written } : { name, ...planned };
  }
}

/** A mode in Vitest 4, projects of its own in Vitest 5. */
type Benchmarking = { mode?: string; projects?: readonly { config: { benchmark?: { enabled?: boolean } } }[] };

/** As Node does with an error that nobody catches. */
function tellThrown(thrown: unknown): void {
  process.stderr.write(`${inspect(thrown)}\n`);
  process.exitCode ||= 1;
}

function whyInvalid({ invalid, problem = 'The recipe is not valid: nothing ran.' }: Identity): Planned {
  return invalid ? { detail: problem } : {};
}
