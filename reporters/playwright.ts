// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { relative, resolve } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import pc from 'picocolors';
import { escapeControls } from '../src/document/printFinding.js';
import { clearPackage, packageName, placePackage, type Slot } from '../src/evidence/layout.js';
import type { Summary } from '../src/evidence/package.js';
import { type SuiteEntry, writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { identityOf, readResult } from '../src/hosts/playwright/readResult.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the config file. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
};

type Written = { dir: string; summary: Summary; outcome: ReturnType<TestCase['outcome']> };

export default class RecipeReporter implements Reporter {
  private readonly outputDir: string;
  private planned: TestCase[] = [];
  private readonly written = new Map<string, Written>();
  private readonly problems: string[] = [];

  constructor(options: ReporterOptions & { configDir?: string } = {}) {
    const given = process.env.RECIPEWRIGHT_OUTPUT_DIR;
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
    if (!identity || identity.invalid || result.status === 'skipped') return;
    this.attempt(identity.id, () => {
      const { dir, summary } = placePackage(this.slot(identity.id, test, result.retry), readResult(identity, result));
      this.written.set(test.id, {
        dir,
        summary,
        outcome: result.status === 'interrupted' ? 'unexpected' : test.outcome(),
      });
    });
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    const unlike = [...this.written.values()].filter(
      ({ summary, outcome }) => outcome !== 'unexpected' && summary.status !== 'pass',
    );
    for (const { summary } of unlike)
      this.problems.push(`${summary.recipe.id}: the test is green, but its evidence says ${summary.status}: ${summary.reason}`);
    this.attempt('suite.json', () =>
      writeSuiteIndex(
        this.outputDir,
        this.planned.map((test) => this.resolve(test)),
      ),
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

  private closing(): string {
    const rows = [...this.written.values()].flatMap(({ dir, summary }) => [
      `  ${mark(summary.status)} ${escapeControls(summary.recipe.id)}  ${pc.dim(escapeControls(relative(process.cwd(), dir)))}`,
      ...summary.proof.map(({ id, claim, status }) => escapeControls(`      ${id} ${status}: ${claim}`)),
      ...(summary.status === 'pass' ? [] : [escapeControls(`      ${summary.reason.split('\n')[0]}`)]),
    ]);
    const problems = this.problems.map((problem) => `  ${pc.red('!')} ${escapeControls(problem)}`);
    const title = `  Recipe evidence in ${relative(process.cwd(), this.outputDir) || '.'}`;
    return `\n${[title, ...rows, ...problems].join('\n')}\n\n`;
  }
}

function mark(status: Summary['status']): string {
  if (status === 'pass') return pc.green('pass   ');
  return status === 'fail' ? pc.red('fail   ') : pc.yellow('unknown');
}
