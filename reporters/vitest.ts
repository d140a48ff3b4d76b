// Builds the evidence package of every recipe from what its test left. It reads events, never the engine.
import { resolve } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { clearPackage, packageName, placePackage, type Slot } from '../src/evidence/layout.js';
import type { PackageParts, Summary } from '../src/evidence/package.js';
import { type SuiteEntry, writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { closingText } from '../src/hosts/closingText.js';
import { ReviewWhenLoaded } from '../src/hosts/reviewWhenLoaded.js';
import { againBy } from '../src/hosts/vitest/againBy.js';
import { testsOfFile } from '../src/hosts/vitest/declaredTests.js';
import { LiveTests } from '../src/hosts/vitest/liveTests.js';
import { attemptsOf, failureOf, identityOf, partsOf } from '../src/hosts/vitest/readTest.js';
import { documentsOfRun, dropRunDir } from '../src/hosts/vitest/runDir.js';
import type { Identity } from '../src/hosts/vitest/wire.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the root of the Vitest project. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
};

type Written = { dir: string; summary: Summary; isGreen: boolean; isFlaky: boolean; earlier: number; again: string };

/** One test of the run, before its package is there. */
type Planned = { detail?: string; isSkipped?: boolean };

export default class RecipeReporter implements Reporter {
  private outputDir = '';
  private attachmentsDir = '';
  private readonly planned = new Map<string, Planned>();
  private readonly written = new Map<string, Written>();
  private modules: readonly string[] = [];
  private readonly problems: string[] = [];
  private readonly files = new Set<string>();
  private readonly review = new ReviewWhenLoaded();
  private live: LiveTests | undefined;

  constructor(private readonly options: ReporterOptions = {}) {}

  onInit(vitest: Vitest): void {
    const { root, attachmentsDir } = vitest.config;
    const given = process.env.RECIPEWRIGHT_OUTPUT_DIR;
    this.outputDir = given ? resolve(given) : resolve(root, this.options.outputDir ?? 'recipe-results');
    this.attachmentsDir = attachmentsDir;
    this.live = new LiveTests(this.outputDir, ({ id }, test) => packageName(this.slot(id, test.project.name, 0)));
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.planned.clear();
    this.written.clear();
    this.files.clear();
    this.problems.length = 0;
    this.modules = specifications.map(({ moduleId }) => moduleId);
    for (const { moduleId, project } of specifications) {
      const projectRoot = documentsOfRun().get(moduleId);
      const tests = projectRoot === undefined ? [] : testsOfFile(moduleId, projectRoot);
      for (const { identity } of tests) {
        this.files.add(identity.file);
        const slot = this.slot(identity.id, project.name, 0);
        this.planned.set(packageName(slot), {});
        this.review.load();
        // An old package must not speak for a recipe that this run does not come to.
        this.attempt(slot.id, () => clearPackage(slot));
      }
    }
  }

  private slot(id: string, project: string, attempt: number): Slot {
    return { outputDir: this.outputDir, id, repeat: 0, attempt, ...(project === '' ? {} : { project }) };
  }

  // What a reporter throws would end the run with a message of its own.
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

  onTestCaseAnnotate(test: TestCase, { type }: { type: string }): void {
    this.live?.stepped(test, type);
  }

  onTestCaseResult(test: TestCase): void {
    const identity = identityOf(test);
    if (identity) this.place(test, identity);
  }

  private place(test: TestCase, identity: Identity): void {
    const { state } = test.result();
    this.files.add(identity.file);
    this.review.use((reviews) => reviews.declareActions(identity.ownActions ?? []));
    const slot = this.slot(identity.id, test.project.name, 0);
    const name = packageName(slot);
    const skipped = { isSkipped: true, detail: `The test was skipped${identity.skip ? `: ${identity.skip}` : '.'}` };
    const invalid = { detail: 'The recipe is not valid: nothing ran.' };
    const attempts = identity.invalid ? [] : attemptsOf(test, this.attachmentsDir);
    const isSkipped = state === 'skipped' && attempts.length === 0;
    this.planned.set(name, isSkipped ? skipped : identity.invalid ? invalid : {});
    for (const attempt of attempts) {
      const failure = attempt === attempts.at(-1) ? failureOf(test) : undefined;
      const isFlaky = state === 'passed' && test.diagnostic()?.flaky === true;
      const write = (review: PackageParts['review']): void => {
        const parts = { ...partsOf(identity, attempt, failure), review };
        const { dir, summary } = placePackage({ ...slot, attempt: attempt.attempt }, parts);
        this.written.set(name, {
          dir,
          summary,
          isGreen: state === 'passed',
          isFlaky,
          earlier: attempt.attempt,
          again: summary.status === 'pass' ? '' : againBy(test, this.modules),
        });
        this.live?.over(name);
      };
      this.review.use((reviews) => this.attempt(identity.id, () => write(reviews.open(name))));
    }
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    await this.review.allDone().catch((thrown) => this.fail('review.html', thrown));
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const identity = identityOf(test);
        const name = identity && packageName(this.slot(identity.id, test.project.name, 0));
        const isTold = name !== undefined && this.written.get(name)?.isGreen === (test.result().state === 'passed');
        // Its worker died and told nothing, or something was told of it later.
        if (identity && !isTold) this.place(test, identity);
      }
    this.end();
  }

  private end(): void {
    const written = [...this.written.values()];
    for (const { summary, isGreen } of written)
      if (isGreen && summary.status !== 'pass')
        this.problems.push(`${summary.recipe.id}: the test is green, but its evidence says ${summary.status}: ${summary.reason}`);
    const entries = [...this.planned].map(([name, planned]) => this.entry(name, planned));
    this.attempt('suite.json', () => void writeSuiteIndex(this.outputDir, entries, this.review.view([...this.files])));
    if (written.length > 0 || this.problems.length > 0)
      process.stdout.write(closingText({ outputDir: this.outputDir, written, problems: this.problems }));
    this.live?.allOver();
    this.attempt('the cache', dropRunDir);
    const isGreen = entries.every(({ summary, skipped }) => summary?.status === 'pass' || skipped);
    if (this.problems.length > 0 || !isGreen) process.exitCode ||= 1;
  }

  private entry(name: string, { detail, isSkipped }: Planned): SuiteEntry {
    const written = this.written.get(name);
    if (written) return { name, ...written };
    return { name, ...(detail === undefined ? {} : { detail }), ...(isSkipped ? { skipped: true } : {}) };
  }
}
