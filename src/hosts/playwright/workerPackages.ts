// Writes the packages of a run without the recipe reporter: the worker that ran a test writes them when the test has ended.
import type { TestInfo } from '@playwright/test';
import { clearPackage, type PackageSlot, packageName, placePackage, replacePackage } from '../../evidence/packageDirs.js';
import type { DeclaredClaim } from '../../evidence/suite.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import type { SuiteReview } from '../../review/suite/suiteReview.js';
import { sha256 } from '../../system/files/files.js';
import { flushPendingEntries, recordPackage, removeIndexEntries, reportIndexWriteError } from '../shared/suiteRecord.js';
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
/** The packages of the last test. An error that the worker reports later belongs to that test. */
let lastWritten: WorkerPackages | undefined;
let review: SuiteReview | undefined;
const parentPid = process.ppid;

/** Whether Playwright's main process was killed. */
function isOrphan(): boolean {
  return process.connected === false || process.ppid !== parentPid;
}

/**
 * Returns the packages of this test, unless a reporter or a merge writes them. Must be called before the first node runs.
 * Loads the code of the review pages on demand.
 */
export async function openWorkerPackages(testInfo: TestInfo): Promise<WorkerPackages | undefined> {
  const existing = openPackages.get(testInfo);
  if (existing || arePackagesWrittenElsewhere(testInfo.config)) return existing;
  // The previous test has ended, even if Playwright did not report that.
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

/** Removes the index entries of earlier attempts: only the last attempt of a native test counts. */
export async function removeEarlierAttempts(testInfo: TestInfo): Promise<void> {
  if (testInfo.retry === 0 || arePackagesWrittenElsewhere(testInfo.config)) return;
  const mark = createNestedMark(testInfo.testId);
  removeIndexEntries(await findConfiguredOutputDir(testInfo.config), (name) => name.includes(mark));
}

/** Returns a function that collects journal lines for the package, or undefined if a reporter or a merge writes the package. */
export function createJournalWriter(testInfo: TestInfo, key: string): ((line: string) => void) | undefined {
  return openPackages.get(testInfo)?.createLineWriter(key);
}

class WorkerPackages {
  private readonly runs = new Map<string, WorkerRun>();
  /** The error that the worker reported after the test. */
  private lateFailure: string | undefined;

  constructor(
    private readonly testInfo: TestInfo,
    private readonly outputDir: string,
    private readonly reviews: SuiteReview,
  ) {}

  get testId(): string {
    return this.testInfo.testId;
  }

  /** Must be called before the session opens and writes its first line. A run that is refused before start() leaves no package. */
  register(identity: RunIdentity): void {
    this.runs.set(identity.key, { identity, lines: [], isStarted: false });
  }

  /**
   * Writes a package with the verdict unknown. This package stays if the worker dies.
   * @throws when the package cannot be written
   */
  start(key: string): void {
    const run = this.runs.get(key);
    if (!run) return;
    run.isStarted = true;
    placePackage(this.createSlot(run.identity), {
      ...this.parts(run),
      hostFailure: 'the worker process ended before the test did',
    });
  }

  /** Removes the package of an earlier run when the document is no longer valid. */
  clear(id: string): void {
    const slot = this.createSlot({ id, key: '' });
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

  /** @throws when a package cannot be written */
  failLate(lateFailure: string): void {
    this.lateFailure ??= lateFailure;
    this.write();
  }

  /** @throws when a package cannot be written */
  write(): void {
    // Without the main process, the packages stay unknown, because the next run may have begun.
    if (isOrphan()) return;
    const isSkipped = this.testInfo.status === 'skipped';
    for (const run of this.runs.values()) {
      if (!run.isStarted) continue;
      const slot = this.createSlot(run.identity);
      const name = packageName(slot);
      const claims = run.identity.key === '' ? this.claims : [];
      if (isSkipped && run.identity.key === '') {
        clearPackage(slot);
        recordPackage(this.outputDir, { name, claims, skipped: true, detail: 'The test was skipped.' });
        continue;
      }
      const { summary } = replacePackage(slot, { ...this.parts(run), review: this.reviews.open(name) });
      const earlier = slot.attempt;
      recordPackage(this.outputDir, { name, claims, summary, earlier, isFlaky: earlier > 0 && summary.status === 'pass' });
    }
  }

  private parts({ identity, lines }: WorkerRun): PackageParts {
    const { testInfo } = this;
    const test = readIdentity(testInfo.annotations, testInfo.file);
    const isOwn = identity.key === '';
    const recipe = isOwn && test ? findRecipeDocument(test, testInfo) : undefined;
    // A failure of a native test after the end of a recipe does not concern that recipe.
    const hostFailure =
      (isOwn || !isJournalClosed(lines) ? describeTestFailure(testInfo) : undefined) ?? (isOwn ? this.lateFailure : undefined);
    return createPackageParts(identity, testInfo, {
      journal: lines,
      recipe,
      hostFailure: hostFailure && maskKnownSecrets(hostFailure),
    });
  }

  private createSlot({ id }: RunIdentity): PackageSlot {
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

/** Fails the packages of the last test, as the reporter does in onError. */
function failLastPackages([message = '']: readonly string[]): void {
  const packages = lastWritten;
  if (packages) runAndReportErrors(() => packages.failLate(describeLateError(maskKnownSecrets(readErrorMessage({ message })))));
}

/** No test can report an error at exit, so a package that cannot be written stays unknown. */
function writeAtExit(): void {
  runAndReportErrors(() => {
    writeAllPackages();
    flushPendingEntries();
  });
}

function runAndReportErrors(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    reportIndexWriteError(thrown);
  }
}

/** Creates the part that the names of all packages of one native test share. */
export function createNestedMark(testId: string): string {
  return `--${sha256(testId).slice(0, 8)}`;
}
