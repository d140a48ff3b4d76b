// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { resolve } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { clearPackage, packageName, placePackage, type Slot } from '../src/evidence/layout.js';
import type { PackageParts, Summary } from '../src/evidence/package.js';
import { type SuiteEntry, writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { closingText } from '../src/hosts/closingText.js';
import { identityOf, readNested, readResult } from '../src/hosts/playwright/readResult.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the config file. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
  /** Warns when the packages of a run are larger together; 200 when nobody says. */
  sizeBudgetMb?: number;
};

/** `isNested`: a native test ran it, and answers for itself. */
type Written = { name: string; dir: string; summary: Summary; outcome: ReturnType<TestCase['outcome']>; isNested: boolean };

export default class RecipeReporter implements Reporter {
  private readonly outputDir: string;
  private planned: TestCase[] = [];
  private readonly written = new Map<string, Written>();
  private readonly problems: string[] = [];
  private readonly sizeBudgetMb: number;
  private size = 0;

  constructor(options: ReporterOptions & { configDir?: string } = {}) {
    const given = process.env.RECIPEWRIGHT_OUTPUT_DIR;
    this.sizeBudgetMb = options.sizeBudgetMb ?? 200;
    this.outputDir = given ? resolve(given) : resolve(options.configDir ?? process.cwd(), options.outputDir ?? 'recipe-results');
  }

  printsToStdio(): boolean {
    return false;
  }

  onBegin(_config: FullConfig, suite: Suite): void {
    this.written.clear();
    this.planned = suite.allTests().filter((test) => identityOf(test));
    // An old package must not speak for a recipe that this run does not come to.
    for (const test of this.planned) {
      const identity = identityOf(test);
      if (identity) this.attempt(identity.id, () => clearPackage(this.slot(identity.id, test, 0)));
    }
    process.on('SIGTERM', this.endLikeSigint);
  }

  // Playwright finishes tests and reports on SIGINT only.
  private readonly endLikeSigint = (): void => {
    process.emit('SIGINT');
  };

  private slot(id: string, test: TestCase, attempt: number): Slot {
    const project = test.parent.project()?.name ?? '';
    return {
      outputDir: this.outputDir,
      id,
      repeat: test.repeatEachIndex,
      attempt,
      ...(project === 'recipes' ? {} : { project }),
    };
  }

  // Playwright swallows what a reporter throws, so keep it for the end.
  private attempt(id: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.problems.push(`${id}: it could not be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const identity = identityOf(test);
    if (identity?.invalid || result.status === 'skipped') return;
    if (identity) this.place(test, result, readResult(identity, result));
    else for (const parts of readNested(result)) this.place(test, result, parts);
  }

  private place(test: TestCase, result: TestResult, parts: PackageParts): void {
    this.attempt(parts.id, () => {
      const slot = this.slot(parts.id, test, result.retry);
      const { dir, summary, manifest } = placePackage(slot, parts);
      this.size += manifest.artifacts.reduce((sum, { size }) => sum + size, 0);
      const isNested = !identityOf(test);
      const outcome = result.status === 'interrupted' ? 'unexpected' : test.outcome();
      this.written.set(isNested ? `${test.id} ${parts.id}` : test.id, {
        name: packageName(slot),
        dir,
        summary,
        outcome,
        isNested,
      });
    });
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    const unlike = [...this.written.values()].filter(
      ({ summary, outcome, isNested }) => !isNested && outcome !== 'unexpected' && summary.status !== 'pass',
    );
    for (const { summary } of unlike)
      this.problems.push(`${summary.recipe.id}: the test is green, but its evidence says ${summary.status}: ${summary.reason}`);
    this.attempt('suite.json', () =>
      writeSuiteIndex(this.outputDir, [...this.planned.map((test) => this.resolve(test)), ...this.nested()]),
    );
    if (this.written.size > 0 || this.problems.length > 0) process.stdout.write(this.closing());
    process.off('SIGTERM', this.endLikeSigint);
    if (this.problems.length === 0) return undefined;
    // merge-reports does not ask reporters for a status.
    process.on('exit', () => {
      process.exitCode ||= 1;
    });
    return result.status === 'passed' ? { status: 'failed' } : undefined;
  }

  // Every planned recipe, the last attempt of each.
  private resolve(test: TestCase): SuiteEntry {
    const identity = identityOf(test);
    const name = packageName(this.slot(identity?.id ?? '', test, 0));
    const summary = this.written.get(test.id)?.summary;
    if (summary) return { name, summary };
    if (identity?.invalid) return { name, detail: 'The recipe is not valid: nothing ran.' };
    const skip = test.expectedStatus === 'skipped' && test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
    return skip
      ? { name, skipped: true, detail: `The test was skipped${skip.description ? `: ${skip.description}` : ''}.` }
      : { name };
  }

  private nested(): SuiteEntry[] {
    return [...this.written.values()].filter(({ isNested }) => isNested).map(({ name, summary }) => ({ name, summary }));
  }

  private closing(): string {
    const { outputDir, problems } = this;
    const megabytes = Math.ceil(this.size / 1_000_000);
    const notes = megabytes > this.sizeBudgetMb ? [tooLarge(megabytes, this.sizeBudgetMb)] : [];
    const written = [...this.written.values()].map(({ dir, summary, outcome }) => ({
      dir,
      summary,
      isFlaky: outcome === 'flaky',
    }));
    return closingText({ outputDir, written, problems, notes });
  }
}

function tooLarge(megabytes: number, budget: number): string {
  return `The packages of this run hold ${megabytes} MB, more than the budget of ${budget} MB. Record less, or raise "sizeBudgetMb" of the reporter.`;
}
