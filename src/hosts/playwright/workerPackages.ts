// Packages of a run without the recipe reporter. The worker that ran a test writes them when the test is over.
import type { TestInfo } from '@playwright/test';
import { clearPackage, type PackageSlot, packageName, placePackage, replacePackage } from '../../evidence/packageDirs.js';
import type { DeclaredClaim } from '../../evidence/suite.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import type { SuiteReview } from '../../review/suite/suiteReview.js';
import { sha256 } from '../../system/files/files.js';
import { recordAll, recordPackage, reportUnwritten, withdrawPackages } from '../shared/suiteRecord.js';
import { maskKnownSecrets, onWorkerReport } from './internals/workerMessages.js';
import {
  createPackageParts,
  describeTestFailure,
  findRecipeDocument,
  readDeclaredClaims,
  readIdentity,
} from './readTestResult.js';
import { arePackagesWrittenElsewhere, findConfiguredOutputDir } from './reporterPresence.js';
import type { RunIdentity } from './reporterProtocol.js';
import { describeLateError, readErrorMessage } from './runProblems.js';

type WorkerRun = { identity: RunIdentity; lines: string[]; isStarted: boolean };

const openPackages = new Map<TestInfo, WorkerPackages>();
/** Of the test that ended last: an error that comes after it may be one that it left behind. */
let lastWritten: WorkerPackages | undefined;
let review: SuiteReview | undefined;
const parentPid = process.ppid;

/** Playwright's main process was killed. */
function isOrphan(): boolean {
  return process.connected === false || process.ppid !== parentPid;
}

/**
 * The packages of this test, when nobody else writes them. Ask before the first node runs.
 * The code that makes review pages is loaded only then.
 */
export async function openWorkerPackages(testInfo: TestInfo): Promise<WorkerPackages | undefined> {
  const known = openPackages.get(testInfo);
  if (known || arePackagesWrittenElsewhere(testInfo.config)) return known;
  // Playwright did not say that the test before was over, but now it is.
  writeAllPackages();
  if (review === undefined) {
    const { SuiteReview } = await import('../../review/suite/suiteReview.js');
    review = new SuiteReview();
    onWorkerReport({ testEnd: writePackagesOfTest, fatalErrors: failLastPackages });
    process.once('exit', writeAtExit);
  }
  const packages =
    openPackages.get(testInfo) ?? new WorkerPackages(testInfo, await findConfiguredOutputDir(testInfo.config), review);
  openPackages.set(testInfo, packages);
  return packages;
}

/** Of a native test that is tried again, only the recipes of the last attempt count. */
export async function withdrawFormerAttempt(testInfo: TestInfo): Promise<void> {
  if (testInfo.retry === 0 || arePackagesWrittenElsewhere(testInfo.config)) return;
  const mark = createNestedMark(testInfo.testId);
  withdrawPackages(await findConfiguredOutputDir(testInfo.config), (name) => name.includes(mark));
}

/** Takes the lines of a journal that the worker has to keep; undefined when somebody else gets them. */
export function keepJournalLines(testInfo: TestInfo, key: string): ((line: string) => void) | undefined {
  return openPackages.get(testInfo)?.createLineWriter(key);
}

export class WorkerPackages {
  private readonly runs = new Map<string, WorkerRun>();
  /** What its worker failed of when the test was over. */
  private lateFailure: string | undefined;

  constructor(
    private readonly testInfo: TestInfo,
    private readonly outputDir: string,
    private readonly reviews: SuiteReview,
  ) {}

  get testId(): string {
    return this.testInfo.testId;
  }

  /** Before its session opens, whose first line is kept already. A run that is refused then leaves no package. */
  register(identity: RunIdentity): void {
    this.runs.set(identity.key, { identity, lines: [], isStarted: false });
  }

  /**
   * Leaves a package that says unknown until the test is over, for a worker that dies on the way.
   * @throws when it cannot be written
   */
  start(key: string): void {
    const run = this.runs.get(key);
    if (!run) return;
    run.isStarted = true;
    placePackage(this.slot(run.identity), { ...this.parts(run), hostFailure: 'the worker process ended before the test did' });
  }

  /** For a document that cannot run: what a former run left must not speak for it. */
  clear(id: string): void {
    const slot = this.slot({ id, key: '' });
    clearPackage(slot);
    const problem = readIdentity(this.testInfo.annotations, this.testInfo.file)?.problem;
    recordPackage(this.outputDir, { name: packageName(slot), claims: this.claims, ...(problem ? { detail: problem } : {}) });
  }

  private get claims(): DeclaredClaim[] {
    return readDeclaredClaims(this.testInfo);
  }

  createLineWriter(key: string): ((line: string) => void) | undefined {
    const run = this.runs.get(key);
    return run && ((line) => run.lines.push(line));
  }

  /** @throws when one cannot be written */
  failLate(lateFailure: string): void {
    this.lateFailure ??= lateFailure;
    this.write();
  }

  /** @throws when one cannot be written */
  write(): void {
    // The packages say unknown, and the next run may have begun.
    if (isOrphan()) return;
    const isSkipped = this.testInfo.status === 'skipped';
    for (const run of this.runs.values()) {
      if (!run.isStarted) continue;
      const slot = this.slot(run.identity);
      const name = packageName(slot);
      const claims = run.identity.key === '' ? this.claims : [];
      if (isSkipped && run.identity.key === '') {
        clearPackage(slot);
        recordPackage(this.outputDir, { name, claims, skipped: true, detail: 'The test was skipped.' });
        continue;
      }
      const { summary } = replacePackage(slot, { ...this.parts(run), review: this.reviews.open(name) });
      const { attempt: earlier } = slot;
      recordPackage(this.outputDir, { name, claims, summary, earlier, isFlaky: earlier > 0 && summary.status === 'pass' });
    }
  }

  private parts({ identity, lines }: WorkerRun): PackageParts {
    const { testInfo } = this;
    const test = readIdentity(testInfo.annotations, testInfo.file);
    const isOwn = identity.key === '';
    const recipe = isOwn && test ? findRecipeDocument(test, testInfo) : undefined;
    // What a native test does after its recipe is no concern of the recipe.
    const hostFailure =
      (isOwn || !isJournalClosed(lines) ? describeTestFailure(testInfo) : undefined) ?? (isOwn ? this.lateFailure : undefined);
    const given = { journal: lines, recipe, hostFailure: hostFailure && maskKnownSecrets(hostFailure) };
    return createPackageParts(identity, testInfo, given);
  }

  private slot({ id }: RunIdentity): PackageSlot {
    const { project, repeatEachIndex, retry } = this.testInfo;
    return {
      outputDir: this.outputDir,
      id,
      repeat: repeatEachIndex,
      attempt: retry,
      ...(project.name === 'recipes' ? {} : { project: project.name }),
    };
  }
}

function isJournalClosed(lines: readonly string[]): boolean {
  const last = JSON.parse(lines.at(-1) ?? '{}') as { t?: string; path?: string };
  return last.t === 'end' && last.path === '';
}

/** @throws when a package of this test cannot be written */
function writePackagesOfTest(testId: string): void {
  for (const [testInfo, packages] of openPackages) {
    if (packages.testId !== testId) continue;
    openPackages.delete(testInfo);
    lastWritten = packages;
    packages.write();
  }
}

function writeAllPackages(): void {
  for (const { testId } of openPackages.values()) writePackagesOfTest(testId);
}

/** As the reporter does it for a worker that reports errors. */
function failLastPackages([message = '']: readonly string[]): void {
  const packages = lastWritten;
  if (packages) runQuietly(() => packages.failLate(describeLateError(maskKnownSecrets(readErrorMessage({ message })))));
}

/** Nobody is left to fail, so what is not written stays unknown. */
function writeAtExit(): void {
  runQuietly(() => {
    writeAllPackages();
    recordAll();
  });
}

function runQuietly(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    reportUnwritten(thrown);
  }
}

/** What the names of all packages of recipes that one native test runs have in common. */
export function createNestedMark(testId: string): string {
  return `--${sha256(testId).slice(0, 8)}`;
}
