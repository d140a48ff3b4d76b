// Builds the evidence package of every recipe from what its test reported. It reads events, never the engine.
import { resolve } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import { clearPackage, packageName, placePackage, type Slot } from '../src/evidence/layout.js';
import type { PackageParts } from '../src/evidence/package.js';
import { type SuiteEntry, writeSuiteIndex } from '../src/evidence/suiteIndex.js';
import { closingText } from '../src/hosts/closingText.js';
import { againBy } from '../src/hosts/playwright/againBy.js';
import { attachReview } from '../src/hosts/playwright/attachReview.js';
import { endBySignal } from '../src/hosts/playwright/endBySignal.js';
import { LiveSteps } from '../src/hosts/playwright/liveSteps.js';
import { missingShards, type Shard } from '../src/hosts/playwright/missingShards.js';
import { notRun } from '../src/hosts/playwright/notRun.js';
import { identityOf, ownActionsOf, readNested, readResult } from '../src/hosts/playwright/readResult.js';
import { greenWithout, notMerged, tooLarge } from '../src/hosts/playwright/reporterWords.js';
import { entryOf, type Written } from '../src/hosts/playwright/written.js';
import { ReviewWhenLoaded } from '../src/hosts/reviewWhenLoaded.js';

export type ReporterOptions = {
  /** Where the packages go, relative to the config file. Also by RECIPEWRIGHT_OUTPUT_DIR. */
  outputDir?: string;
  /** Warns when the packages of a run are larger together; 200 when nobody says. */
  sizeBudgetMb?: number;
};

type Ended = { test: TestCase; result: TestResult; outcome: Written['outcome']; slot: Slot };

export default class RecipeReporter implements Reporter {
  private readonly outputDir: string;
  private readonly configDir: string;
  private planned: TestCase[] = [];
  private readonly written = new Map<string, Written>();
  private readonly problems: string[] = [];
  private readonly sizeBudgetMb: number;
  private size = 0;
  private readonly merged: Shard[] = [];
  private readonly isListing: boolean;
  private readonly review = new ReviewWhenLoaded();
  private readonly live: LiveSteps | undefined;
  private listenNoMore = (): void => undefined;

  constructor(options: ReporterOptions & { configDir?: string; _mode?: string } = {}) {
    this.isListing = options._mode === 'list';
    const given = process.env.RECIPEWRIGHT_OUTPUT_DIR;
    this.sizeBudgetMb = options.sizeBudgetMb ?? 200;
    this.configDir = options.configDir ?? process.cwd();
    this.outputDir = given ? resolve(given) : resolve(this.configDir, options.outputDir ?? 'recipe-results');
    // What is merged is over.
    this.live = options._mode === 'merge' ? undefined : new LiveSteps(this.outputDir, (test) => this.nameOf(test));
  }

  printsToStdio(): boolean {
    return false;
  }

  /** How Playwright's own reporters speak with it: only so are we told of every report that is merged. */
  version(): 'v2' {
    return 'v2';
  }

  /** A version that does not know the above gives its config first. */
  onBegin(given: FullConfig | Suite, second?: Suite): void {
    // Nothing will run, so the packages that lie there stay.
    if (this.isListing) return;
    const suite = second ?? (given as Suite);
    this.written.clear();
    this.planned = suite.allTests().filter((test) => identityOf(test));
    if (this.planned.length > 0) this.review.load();
    // An old package must not speak for a recipe that this run does not come to.
    for (const test of this.planned) {
      const identity = identityOf(test);
      if (identity) this.attempt(identity.id, () => clearPackage(this.slot(identity.id, test, 0)));
    }
    this.listenNoMore = endBySignal();
  }

  onReportConfigure({ config }: { config: FullConfig }): void {
    if (config.shard) this.merged.push(config.shard);
  }

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
    const identity = identityOf(test);
    if (identity?.invalid || result.status === 'skipped') return;
    this.review.use((reviews) => reviews.declareActions(ownActionsOf(result)));
    if (identity) this.place(test, result, readResult(identity, result));
    else for (const parts of readNested(result)) this.place(test, result, parts);
  }

  private place(test: TestCase, result: TestResult, parts: PackageParts): void {
    const outcome = result.status === 'interrupted' ? 'unexpected' : test.outcome();
    const slot = this.slot(parts.id, test, result.retry);
    this.review.use((reviews) =>
      this.attempt(parts.id, () => {
        const review = reviews.open(packageName(slot));
        this.write({ test, result, outcome, slot }, { ...parts, review });
      }),
    );
  }

  private write({ test, result, outcome, slot }: Ended, parts: PackageParts): void {
    const built = placePackage(slot, parts);
    const { dir, summary, manifest } = built;
    this.size += manifest.artifacts.reduce((sum, { size }) => sum + size, 0);
    const isNested = !identityOf(test);
    const again = summary.status === 'pass' ? {} : { again: againBy(test, this.configDir, this.planned) };
    const written = { name: packageName(slot), dir, summary, outcome, isNested, earlier: slot.attempt, ...again };
    this.written.set(isNested ? `${test.id} ${parts.id}` : test.id, written);
    const title = isNested ? `Review of ${parts.id}` : 'Review';
    attachReview(result, { slot, title }, built);
    this.live?.over(packageName(slot));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    await this.review.allDone().catch((thrown) => this.fail('review.html', thrown));
    const unlike = [...this.written.values()].filter(
      ({ summary, outcome, isNested }) => !isNested && outcome !== 'unexpected' && summary.status !== 'pass',
    );
    for (const { summary } of unlike) this.problems.push(greenWithout(summary));
    const missing = missingShards(this.merged).map(notMerged);
    for (const { name, detail } of missing) this.problems.push(`${name}: ${detail}`);
    this.attempt('suite.json', () =>
      writeSuiteIndex(
        this.outputDir,
        [...this.planned.map((test) => this.resolve(test)), ...this.nested(), ...missing],
        this.review.view(this.planned.flatMap((test) => identityOf(test)?.file ?? [])),
      ),
    );
    if (this.written.size > 0 || this.problems.length > 0) process.stdout.write(this.closing());
    this.live?.allOver();
    this.listenNoMore();
    if (this.problems.length === 0 && this.isGreen()) return undefined;
    // merge-reports asks neither tests nor reporters for a status.
    process.on('exit', () => {
      process.exitCode ||= 1;
    });
    return result.status === 'passed' && this.problems.length > 0 ? { status: 'failed' } : undefined;
  }

  private isGreen(): boolean {
    return this.planned.map((test) => this.resolve(test)).every(({ summary, skipped }) => skipped || summary?.status === 'pass');
  }

  // Every planned recipe, the last attempt of each.
  private resolve(test: TestCase): SuiteEntry {
    const name = this.nameOf(test) ?? '';
    const written = this.written.get(test.id);
    return written
      ? { ...entryOf(written), isFlaky: written.outcome === 'flaky', earlier: written.earlier }
      : { name, ...notRun(test) };
  }

  private nested(): SuiteEntry[] {
    return [...this.written.values()].filter(({ isNested }) => isNested).map(entryOf);
  }

  private closing(): string {
    const { outputDir, problems } = this;
    const notes = tooLarge(Math.ceil(this.size / 1_000_000), this.sizeBudgetMb);
    const written = [...this.written.values()].map((one) => ({ ...one, isFlaky: one.outcome === 'flaky' }));
    return closingText({ outputDir, written, problems, notes });
  }
}
