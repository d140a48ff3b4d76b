// Writes the suite index of one output directory during a run: first without verdicts, then with each written package, and once when the run ends.
import { join } from 'node:path';
import type { SuiteEntry, SuiteRun } from '../../evidence/suite.js';
import { type ReadSuite, readSuiteIndex, type SuiteView, writeSuiteIndex } from '../../evidence/suiteIndex.js';
import { suitePage } from '../../review/suite/suitePage.js';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { decideExitCode } from '../../system/processes/decideExitCode.js';
import { describeHostFailure } from './suiteProblems.js';

/** A recipe that the run should include: the name of its package, and its claims. */
export type PlannedRecipe = Pick<SuiteEntry, 'name' | 'claims'>;

const unfinishedDetail = 'The run has begun, but this recipe has not finished.';
const removedEntry = {
  notRun: true,
  removed: true,
  detail:
    'The previous run included this recipe, but this run does not. It was deleted or renamed, or no longer matches the configured patterns.',
};

const endedEarlyProblem = describeHostFailure(
  'The process ended before Playwright reported the end of the run. Look for process.exit() in a global teardown or a reporter.',
);

const emptyView: SuiteView = { page: suitePage };

/** The pause after a write is 20 times as long as the write, so writing a long index takes at most 5 % of the run. */
const pauseFactor = 20;
const minPauseMs = 250;

/** How a run without the recipe reporter ended. */
export type RunEnding = {
  host: string;
  exitCode: number;
  /** All recipes, including those that the run left out. Empty if they are not known. */
  plan: readonly SuiteEntry[];
  selection: readonly string[];
  /** Whether all packages of the run are recorded. If so, and if the exit code is 0, a recipe without a package was left out. */
  isComplete: boolean;
};

/** Whether a recipe has no result yet. */
function hasNoResultYet({ summary, detail = unfinishedDetail }: SuiteEntry): boolean {
  return summary === undefined && detail === unfinishedDetail;
}

function describeMissingPackage(selection: readonly string[]): string {
  const text = 'The run ended without a package of this recipe';
  return selection.length > 0 ? `${text}: ${selection.join(' ')} left it out, or the run failed before.` : `${text}.`;
}

const notRecipeName = /--repeat\d+$|^(shard|work tree) \d+ of \d+$/;

export class SuiteRecord {
  /** The index of the previous run. */
  readonly previousIndex: ReadSuite | undefined;
  private entries = new Map<string, SuiteEntry>();
  private selection: readonly string[] = [];
  private cancelWrite: (() => void) | undefined;
  private nextWriteAtMs = 0;
  isEnded = false;
  isStarted = false;
  /** Whether the recipe reporter will end this record. Then a process that exits before ended too early. */
  hasReporter = false;
  /** Whether the record was abandoned, and one of its recipes did not pass. */
  private hasFailed = false;

  constructor(readonly outputDir: string) {
    this.previousIndex = readSuiteIndex(outputDir);
  }

  get hasIndex(): boolean {
    return this.previousIndex !== undefined;
  }

  hasEntry(name: string): boolean {
    return this.entries.has(name);
  }

  /** Writes an index without verdicts. It lists the planned recipes, and those of the previous run. */
  start(planned: readonly SuiteEntry[] = [], selection: readonly string[] = []): void {
    this.isStarted = true;
    this.selection = selection;
    const previous = new Map(
      this.listPreviousRecipes(new Set()).map(({ name, claims = [] }) => [name, { name, claims, detail: unfinishedDetail }]),
    );
    const expected = planned.map((entry) => ({ detail: unfinishedDetail, ...previous.get(entry.name), ...entry }));
    const names = new Set(expected.map(({ name }) => name));
    const others = [...previous.values()].filter(({ name }) => !names.has(name));
    this.entries = new Map([...expected, ...others].map((entry) => [entry.name, entry]));
    this.write();
  }

  /** Adds the result of a recipe. The index is written after a pause. */
  put(entry: SuiteEntry): void {
    this.entries.set(entry.name, entry);
    this.cancelWrite ??= systemClock.after(Math.max(0, this.nextWriteAtMs - systemClock.now()), () => this.writeQuietly());
  }

  /**
   * Writes the index of a run that has ended. Recipes of the previous run that are not among `entries` are listed as not run.
   * `isWhole`: whether `entries` are all recipes, so that a missing recipe was removed.
   */
  end(
    entries: readonly SuiteEntry[],
    fullView: SuiteView,
    { isWhole = false, ...run }: SuiteRun & { isWhole?: boolean } = {},
  ): void {
    this.stop();
    const { selection = [] } = run;
    const reason = selection.length > 0 && !isWhole ? describeLeftOut(selection) : removedEntry;
    const previous = this.listPreviousRecipes(new Set(entries.map(({ name }) => name)));
    const missing = previous.map(({ name, claims = [] }) => ({ name, claims, ...reason }));
    writeSuiteIndex(this.outputDir, [...entries, ...missing], fullView, { ...run, state: 'finished' });
  }

  /** Sets the planned recipes without writing an index. recordPackage() starts the index. */
  expect(planned: readonly PlannedRecipe[]): void {
    this.entries = new Map(planned.map((entry) => [entry.name, { ...entry, detail: unfinishedDetail }]));
  }

  /**
   * Writes the index of a run that has ended without a call of end(). Only recorded packages have verdicts.
   * Returns the exit code that agrees with the index.
   */
  abandon(ending?: RunEnding): number {
    const code = ending?.exitCode ?? 0;
    if (!this.isEnded) {
      this.stop();
      if (readSuiteIndex(this.outputDir)?.state === 'running')
        withIndexLocked(this.outputDir, () => this.writeAbandoned(ending ?? {}));
    }
    return code === 0 && ending && this.hasFailed ? 1 : code;
  }

  private writeAbandoned({ exitCode = 0, plan = [], isComplete = false, ...ending }: Partial<RunEnding>): void {
    const index = readSuiteIndex(this.outputDir);
    const all = [...this.entries.values(), ...(index?.entries ?? [])];
    const finished = all.filter((entry) => !hasNoResultYet(entry));
    const { selection = index?.selection ?? [] } = ending;
    const explainIfUnfinished = (entry: SuiteEntry, reason: Partial<SuiteEntry>): SuiteEntry =>
      hasNoResultYet(entry) ? { ...entry, ...reason } : entry;
    // A directory without any record may belong to another config.
    const isLeftOutKnown = isComplete && exitCode === 0 && !this.hasReporter && finished.length + selection.length > 0;
    const unfinishedReason = isLeftOutKnown
      ? describeLeftOut(selection.length > 0 ? selection : ['test.only, test.skip, or a filter of the config'])
      : { detail: describeMissingPackage(selection) };
    const previousReason = isLeftOutKnown && selection.length === 0 ? removedEntry : unfinishedReason;
    // The plan is exact. Without a plan, only the recipes are known that were expected at the start.
    const expected =
      plan.length > 0
        ? [
            ...plan.map((entry) => explainIfUnfinished(entry, unfinishedReason)),
            ...this.listPreviousRecipes(new Set(plan.map(({ name }) => name))).map((entry) =>
              explainIfUnfinished(entry, previousReason),
            ),
          ]
        : all.map((entry) => explainIfUnfinished(entry, unfinishedReason));
    const entries = [...new Map([...expected, ...finished].map((entry) => [entry.name, entry])).values()];
    const haveAllPassed = entries.every((entry) => !entry.summary || entry.summary.status === 'pass');
    this.hasFailed = !haveAllPassed || this.hasReporter;
    const outside =
      haveAllPassed && exitCode !== 0 ? [describeHostFailure(`${ending.host} ended with exit code ${exitCode}.`)] : [];
    const problems = this.hasReporter ? [endedEarlyProblem] : outside;
    writeSuiteIndex(this.outputDir, entries, emptyView, { selection, state: 'finished', problems });
  }

  private stop(): void {
    this.isEnded = true;
    this.cancelWrite?.();
    this.cancelWrite = undefined;
  }

  private listPreviousRecipes(names: ReadonlySet<string>): PlannedRecipe[] {
    const { state, entries = [] } = this.previousIndex ?? {};
    // Only the index of one finished run lists a removed recipe. Repetitions and shards are not recipes.
    const wasListedAsRemoved = (removed = false): boolean => removed && state === 'finished';
    const recipes = entries.filter(
      ({ name, removed }) => !names.has(name) && !wasListedAsRemoved(removed) && !notRecipeName.test(name),
    );
    return recipes.map(({ name, claims, summary }) => ({ name, claims: claims ?? summary?.proof ?? [] }));
  }

  private writeQuietly(): void {
    try {
      this.write();
    } catch {
      // EACCES, ENOSPC: the end of the run fails in the same way, and reports it.
    }
  }

  private write(): void {
    this.cancelWrite = undefined;
    const startedAt = systemClock.now();
    writeSuiteIndex(this.outputDir, [...this.entries.values()], emptyView, { state: 'running', selection: this.selection });
    const durationMs = systemClock.now() - startedAt;
    this.nextWriteAtMs = systemClock.now() + Math.max(minPauseMs, durationMs * pauseFactor);
  }
}

/** Describes a recipe that options left out of the run, for its entry in the index. */
export function describeLeftOut(selection: readonly string[]): Pick<SuiteEntry, 'notRun' | 'detail'> {
  return { notRun: true, detail: `Left out by ${selection.join(' ')}.` };
}

const records = Symbol.for('recipewright.suiteRecords');

type GlobalRecords = { [records]?: Map<string, SuiteRecord> };

/** Returns the record of a directory in this process. The config starts the record, and the reporter ends it. */
export function getSuiteRecord(outputDir: string): SuiteRecord {
  const shared = globalThis as GlobalRecords;
  shared[records] ??= new Map();
  const record = shared[records].get(outputDir) ?? new SuiteRecord(outputDir);
  shared[records].set(outputDir, record);
  return record;
}

/** Deletes the record, so that the next run of this process, as in UI mode and watch mode, reads the index again. */
export function forgetSuiteRecord(outputDir: string): void {
  (globalThis as GlobalRecords)[records]?.delete(outputDir);
}

const markedDirs = new Set<string>();

type RunBeginning = {
  planned?: readonly PlannedRecipe[];
  selection?: readonly string[];
  /** The directory that will certainly receive the packages. In other directories, only an existing index is replaced. */
  ownDir?: string | undefined;
  /** Called when the process exits. */
  ending?(exitCode: number): RunEnding;
};

/** Marks the recipes in the indexes of these directories as unknown when a run starts, before its reporter exists. */
export function markRecipesAsRunning(outputDirs: readonly string[], run: RunBeginning = {}): void {
  const { planned = [], selection = [], ownDir, ending } = run;
  for (const outputDir of new Set(outputDirs)) {
    const record = getSuiteRecord(outputDir);
    // When the process exits, it ends a record that no reporter has ended.
    if (!markedDirs.has(outputDir)) decideExitCode((exitCode) => endWithoutThrowing(record, exitCode, ending));
    else if (planned.every(({ name }) => record.hasEntry(name))) continue;
    markedDirs.add(outputDir);
    try {
      if (record.hasIndex || outputDir === ownDir) record.start(planned, selection);
      else record.expect(planned);
    } catch {
      // EACCES, ENOSPC, or files of another program: the reporter fails in the same way, and reports it.
    }
  }
}

/** Ends the record of a process that exits, and returns its exit code. */
export function endWithoutThrowing(record: SuiteRecord, exitCode: number, ending?: RunBeginning['ending']): number {
  try {
    const agreedExitCode = record.abandon(ending?.(exitCode));
    return ending ? agreedExitCode : exitCode;
  } catch (thrown) {
    // EACCES, ENOSPC: the index on disk still says that the run has not ended.
    reportIndexWriteError(thrown);
    return exitCode || 1;
  }
}

/** Changes of an index that are not written yet. */
type PendingChanges = { entries: Map<string, SuiteEntry>; isRemoved(name: string): boolean; nextWriteAtMs: number };

const pendingByDir = new Map<string, PendingChanges>();

/**
 * Adds a package that was written without a reporter, in any process, to the index of its output directory.
 * The index is written at once or soon, and at the latest when the process exits.
 */
export function recordPackage(outputDir: string, entry: SuiteEntry): void {
  const changes = getPending(outputDir);
  changes.entries.set(entry.name, entry);
  if (systemClock.now() >= changes.nextWriteAtMs) writePending(outputDir, changes);
}

/** Removes the entries of packages from the index by their names. */
export function removeIndexEntries(outputDir: string, isRemoved: (name: string) => boolean): void {
  const changes = getPending(outputDir);
  changes.isRemoved = isRemoved;
  writePending(outputDir, changes);
}

function getPending(outputDir: string): PendingChanges {
  if (pendingByDir.size === 0) process.once('exit', recordAtExit);
  const changes = pendingByDir.get(outputDir) ?? {
    entries: new Map<string, SuiteEntry>(),
    isRemoved: () => false,
    nextWriteAtMs: 0,
  };
  pendingByDir.set(outputDir, changes);
  return changes;
}

/** Writes all changes, for a process that is about to end. */
export function flushPendingEntries(): void {
  for (const [outputDir, changes] of pendingByDir) if (changes.entries.size > 0) writePending(outputDir, changes);
}

/** Does not throw: an error in an `exit` listener would keep the process alive if the host listens for errors. */
function recordAtExit(): void {
  try {
    flushPendingEntries();
  } catch (thrown) {
    reportIndexWriteError(thrown);
    process.exitCode ||= 1;
  }
}

/** Prints an error that can no longer fail a test, because the process exits. */
export function reportIndexWriteError(thrown: unknown): void {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(
    `recipewright: A package or the index could not be written: ${why}. Recipes without a verdict in the index are unknown.\n`,
  );
}

function writePending(outputDir: string, changes: PendingChanges): void {
  const startedAt = systemClock.now();
  const isDone = withIndexLocked(outputDir, () => {
    const { state, entries = [], selection = [] } = readSuiteIndex(outputDir) ?? {};
    // A finished index belongs to an earlier run.
    const listed =
      state === 'running' ? entries : entries.map(({ name, claims = [] }) => ({ name, claims, detail: unfinishedDetail }));
    const valid = listed.filter(({ name }) => !changes.isRemoved(name));
    const merged = new Map([...valid, ...changes.entries.values()].map((entry) => [entry.name, entry]));
    writeSuiteIndex(outputDir, [...merged.values()], emptyView, { state: 'running', selection });
  });
  if (isDone) {
    changes.entries.clear();
    changes.isRemoved = () => false;
  }
  changes.nextWriteAtMs = systemClock.now() + Math.max(minPauseMs, (systemClock.now() - startedAt) * pauseFactor);
}

const lockTimeoutMs = 5_000;
const lockPollMs = 10;

/** Returns false if another process holds the lock until the timeout. */
function withIndexLocked(outputDir: string, work: () => void): boolean {
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < lockTimeoutMs; waitedMs += lockPollMs) {
    const release = acquireLock(join(outputDir, '.suite.lock'));
    if (!release) {
      Atomics.wait(sleeping, 0, 0, lockPollMs);
      continue;
    }
    try {
      work();
    } finally {
      release();
    }
    return true;
  }
  return false;
}
