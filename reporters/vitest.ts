// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { resolve } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { clearPackage, packageName, placePackage, type Slot } from '../src/evidence/layout.js';
import type { Summary } from '../src/evidence/package.js';
import { type SuiteEntry, writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { closingText } from '../src/hosts/closingText.js';
import { attemptsOf, failureOf, identityOf, partsOf } from '../src/hosts/vitest/readTest.js';
import { documentsOfRun, dropRunDir } from '../src/hosts/vitest/runDir.js';
import type { Identity } from '../src/hosts/vitest/wire.js';
import { recipeId } from '../src/run/recipeId.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the root of the Vitest project. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
};

type Written = { dir: string; summary: Summary; isGreen: boolean; isFlaky: boolean };

/** One document of the run, or one test of it. */
type Planned = { slot: Slot; detail?: string; isSkipped?: boolean };

export default class RecipeReporter implements Reporter {
  private outputDir = '';
  private vitest: Vitest | undefined;
  private readonly planned = new Map<string, Planned>();
  private readonly written = new Map<string, Written>();
  private readonly problems: string[] = [];

  constructor(private readonly options: ReporterOptions = {}) {}

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
    const given = process.env.RECIPEWRIGHT_OUTPUT_DIR;
    this.outputDir = given ? resolve(given) : resolve(vitest.config.root, this.options.outputDir ?? 'recipe-results');
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.planned.clear();
    this.written.clear();
    this.problems.length = 0;
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, this.endLikeCancelled);
    for (const { moduleId, project } of specifications) {
      if (!documentsOfRun().has(moduleId)) continue;
      const slot = this.slot(recipeId(moduleId, project.config.root), project.name, 0);
      this.planned.set(packageName(slot), { slot });
      // An old package must not speak for a recipe that this run does not come to.
      this.attempt(slot.id, () => clearPackage(slot));
    }
  }

  // Vitest ends at once on a signal; cancelled, it lets the nodes in flight end and the reporters write.
  private readonly endLikeCancelled = (signal: NodeJS.Signals): void => {
    process.exitCode = signal === 'SIGHUP' ? 129 : 143;
    void this.vitest?.cancelCurrentRun('keyboard-input');
  };

  private slot(id: string, project: string, attempt: number): Slot {
    return { outputDir: this.outputDir, id, repeat: 0, attempt, ...(project === '' ? {} : { project }) };
  }

  // What a reporter throws would end the run with a message of its own.
  private attempt(id: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.problems.push(`${id}: it could not be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  onTestCaseResult(test: TestCase): void {
    const identity = identityOf(test);
    if (identity) this.place(test, identity, []);
  }

  private place(test: TestCase, identity: Identity, unhandled: readonly SerializedError[]): void {
    const { state } = test.result();
    const slot = this.slot(identity.id, test.project.name, 0);
    const name = packageName(slot);
    this.planned.set(name, { slot });
    if (state === 'skipped') this.planned.set(name, { slot, isSkipped: true, detail: 'The test was skipped.' });
    if (identity.invalid) this.planned.set(name, { slot, detail: 'The recipe is not valid: nothing ran.' });
    if (state === 'skipped' || identity.invalid) return;
    const attempts = attemptsOf(test);
    for (const [index, attempt] of attempts.entries()) {
      const isLast = index === attempts.length - 1;
      const failure = isLast ? failureOf(test, unhandled) : undefined;
      this.attempt(identity.id, () => {
        const placed = placePackage({ ...slot, attempt: attempt.attempt }, partsOf(identity, attempt, failure));
        const isFlaky = state === 'passed' && test.diagnostic()?.flaky === true;
        this.written.set(name, { dir: placed.dir, summary: placed.summary, isGreen: state === 'passed', isFlaky });
      });
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of modules) {
      const root = module.project.config.root;
      for (const test of module.children.allTests()) {
        const known =
          identityOf(test) ??
          (documentsOfRun().has(module.moduleId) ? { id: recipeId(module.moduleId, root), file: module.moduleId } : undefined);
        // Its worker died: what it wrote is still there.
        if (known && test.result().state === 'pending') this.place(test, known, unhandled);
        else if (known && !this.written.has(packageName(this.slot(known.id, test.project.name, 0))))
          this.place(test, known, unhandled);
      }
    }
    this.end();
  }

  private end(): void {
    const written = [...this.written.values()];
    for (const { summary, isGreen } of written)
      if (isGreen && summary.status !== 'pass')
        this.problems.push(`${summary.recipe.id}: the test is green, but its evidence says ${summary.status}: ${summary.reason}`);
    const entries = [...this.planned].map(([name, planned]) => this.entry(name, planned));
    this.attempt('suite.json', () => void writeSuiteIndex(this.outputDir, entries));
    if (written.length > 0 || this.problems.length > 0)
      process.stdout.write(closingText({ outputDir: this.outputDir, written, problems: this.problems }));
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, this.endLikeCancelled);
    this.attempt('the cache', dropRunDir);
    const isGreen = entries.every(({ summary, skipped }) => summary?.status === 'pass' || skipped);
    if (this.problems.length > 0 || !isGreen) process.exitCode ||= 1;
  }

  private entry(name: string, { detail, isSkipped }: Planned): SuiteEntry {
    const summary = this.written.get(name)?.summary;
    if (summary) return { name, summary };
    return { name, ...(detail === undefined ? {} : { detail }), ...(isSkipped ? { skipped: true } : {}) };
  }
}
