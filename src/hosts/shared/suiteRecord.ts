// The index of one output directory while a run goes on: it begins with no verdicts, is updated as packages are written, and ends once.
import { join } from 'node:path';
import type { SuiteEntry, SuiteRun } from '../../evidence/suite.js';
import { type ReadSuite, readSuiteIndex, type SuiteView, writeSuiteIndex } from '../../evidence/suiteIndex.js';
import { suitePage } from '../../review/suite/suitePage.js';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { decideExitCode } from '../../system/processes/decideExitCode.js';
import { describeHostFailure } from './suiteProblems.js';

/** The name of its package, and the claims that it would prove. */
export type PlannedRecipe = Pick<SuiteEntry, 'name' | 'claims'>;

const hasBegunText = 'The run has begun, and this recipe has not finished.';
const removedEntry = {
  notRun: true,
  removed: true,
  detail: 'The run before had it, this one has not: it was deleted or renamed, or is no longer among the recipes.',
};

const endedEarlyText = describeHostFailure(
  'The process ended before Playwright reported the end of the run. Look for process.exit() in a global teardown or a reporter.',
);

const emptyView: SuiteView = { page: suitePage };

/** Rewriting an index takes at most a twentieth of the time, however many recipes it lists. */
const restFactor = 20;
const minRestMs = 250;

/** The end of a run without the recipe reporter. */
export type RunEnding = {
  host: string;
  exitCode: number;
  /** All recipes, also those that the run left out; empty if they are not known. */
  plan: readonly SuiteEntry[];
  selection: readonly string[];
  /** All packages of the run are recorded. With exit code 0, a recipe without one was left out. */
  isComplete: boolean;
};

/** Whether a recipe has no result yet. */
function hasNoResultYet({ summary, detail = hasBegunText }: SuiteEntry): boolean {
  return summary === undefined && detail === hasBegunText;
}

function describeEndedWithout(selection: readonly string[]): string {
  const text = 'The run ended without a package of it';
  return selection.length > 0 ? `${text}: it was left out by ${selection.join(' ')}, or the run failed before.` : `${text}.`;
}

const notRecipeName = /--repeat\d+$|^(shard|work tree) \d+ of \d+$/;

export class SuiteRecord {
  /** The index of the run before. */
  readonly formerIndex: ReadSuite | undefined;
  private entries = new Map<string, SuiteEntry>();
  private selection: readonly string[] = [];
  private cancelWrite: (() => void) | undefined;
  private nextWriteAtMs = 0;
  isEnded = false;
  isStarted = false;
  /** The recipe reporter ends this record, unless the process ends first. */
  hasReporter = false;
  /** The record was abandoned, and a recipe of it did not pass. */
  private isRed = false;

  constructor(readonly outputDir: string) {
    this.formerIndex = readSuiteIndex(outputDir);
  }

  get hasIndex(): boolean {
    return this.formerIndex !== undefined;
  }

  hasEntry(name: string): boolean {
    return this.entries.has(name);
  }

  /** Writes an index without verdicts. The recipes of the run before are expected again, besides the planned ones. */
  start(planned: readonly SuiteEntry[] = [], selection: readonly string[] = []): void {
    this.isStarted = true;
    this.selection = selection;
    const former = new Map(
      this.listFormerRecipes(new Set()).map(({ name, claims = [] }) => [name, { name, claims, detail: hasBegunText }]),
    );
    const expected = planned.map((entry) => ({ detail: hasBegunText, ...former.get(entry.name), ...entry }));
    const names = new Set(expected.map(({ name }) => name));
    const others = [...former.values()].filter(({ name }) => !names.has(name));
    this.entries = new Map([...expected, ...others].map((entry) => [entry.name, entry]));
    this.write();
  }

  /** Adds the result of a recipe. The index is written soon. */
  put(entry: SuiteEntry): void {
    this.entries.set(entry.name, entry);
    this.cancelWrite ??= systemClock.after(Math.max(0, this.nextWriteAtMs - systemClock.now()), () => this.writeQuietly());
  }

  /**
   * Writes the index of a run that is over. Recipes of the run before that are not among `entries` are listed as not run.
   * `isWhole`: `entries` are all recipes, so that a missing one was removed.
   */
  end(
    entries: readonly SuiteEntry[],
    fullView: SuiteView,
    { isWhole = false, ...run }: SuiteRun & { isWhole?: boolean } = {},
  ): void {
    this.stop();
    const { selection = [] } = run;
    const reason = selection.length > 0 && !isWhole ? describeLeftOut(selection) : removedEntry;
    const former = this.listFormerRecipes(new Set(entries.map(({ name }) => name)));
    const missing = former.map(({ name, claims = [] }) => ({ name, claims, ...reason }));
    writeSuiteIndex(this.outputDir, [...entries, ...missing], fullView, { ...run, state: 'finished' });
  }

  /** Sets the planned recipes without writing an index; recordPackage() begins one. */
  expect(planned: readonly PlannedRecipe[]): void {
    this.entries = new Map(planned.map((entry) => [entry.name, { ...entry, detail: hasBegunText }]));
  }

  /**
   * Writes the index of a run that has ended without a call of end(): only recorded packages have verdicts.
   * Returns the exit code that agrees with the index.
   */
  abandon(ending?: RunEnding): number {
    const code = ending?.exitCode ?? 0;
    if (!this.isEnded) {
      this.stop();
      if (readSuiteIndex(this.outputDir)?.state === 'running')
        withIndexLocked(this.outputDir, () => this.writeAbandoned(ending ?? {}));
    }
    return code === 0 && ending && this.isRed ? 1 : code;
  }

  private writeAbandoned({ exitCode = 0, plan = [], isComplete = false, ...ending }: Partial<RunEnding>): void {
    const index = readSuiteIndex(this.outputDir);
    const all = [...this.entries.values(), ...(index?.entries ?? [])];
    const settled = all.filter((entry) => !hasNoResultYet(entry));
    const { selection = index?.selection ?? [] } = ending;
    const settle = (entry: SuiteEntry, rest: Partial<SuiteEntry>): SuiteEntry =>
      hasNoResultYet(entry) ? { ...entry, ...rest } : entry;
    // A directory without any record may belong to another config.
    const isOver = isComplete && exitCode === 0 && !this.hasReporter && settled.length + selection.length > 0;
    const rest = isOver
      ? describeLeftOut(selection.length > 0 ? selection : ['test.only, test.skip, or a filter of the config'])
      : { detail: describeEndedWithout(selection) };
    const former = isOver && selection.length === 0 ? removedEntry : rest;
    // A plan is exact. Without one, the first expectations are all that is known.
    const expected =
      plan.length > 0
        ? [
            ...plan.map((entry) => settle(entry, rest)),
            ...this.listFormerRecipes(new Set(plan.map(({ name }) => name))).map((entry) => settle(entry, former)),
          ]
        : all.map((entry) => settle(entry, rest));
    const entries = [...new Map([...expected, ...settled].map((entry) => [entry.name, entry])).values()];
    const isGreen = entries.every((entry) => !entry.summary || entry.summary.status === 'pass');
    this.isRed = !isGreen || this.hasReporter;
    const outside = isGreen && exitCode !== 0 ? [describeHostFailure(`${ending.host} ended with exit code ${exitCode}.`)] : [];
    const problems = this.hasReporter ? [endedEarlyText] : outside;
    writeSuiteIndex(this.outputDir, entries, emptyView, { selection, state: 'finished', problems });
  }

  private stop(): void {
    this.isEnded = true;
    this.cancelWrite?.();
    this.cancelWrite = undefined;
  }

  private listFormerRecipes(names: ReadonlySet<string>): PlannedRecipe[] {
    const { state, entries = [] } = this.formerIndex ?? {};
    // The index of one finished run lists a removed recipe. Repetitions and shards are no recipes.
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
    const began = systemClock.now();
    writeSuiteIndex(this.outputDir, [...this.entries.values()], emptyView, { state: 'running', selection: this.selection });
    const took = systemClock.now() - began;
    this.nextWriteAtMs = systemClock.now() + Math.max(minRestMs, took * restFactor);
  }
}

/** For the entry of a recipe that options left out of the run. */
export function describeLeftOut(selection: readonly string[]): Pick<SuiteEntry, 'notRun' | 'detail'> {
  return { notRun: true, detail: `Left out by ${selection.join(' ')}.` };
}

const records = Symbol.for('recipewright.suiteRecords');

type GlobalRecords = { [records]?: Map<string, SuiteRecord> };

/** The record of this process: a config begins it, and a reporter ends it. */
export function getSuiteRecord(outputDir: string): SuiteRecord {
  const shared = globalThis as GlobalRecords;
  shared[records] ??= new Map();
  const record = shared[records].get(outputDir) ?? new SuiteRecord(outputDir);
  shared[records].set(outputDir, record);
  return record;
}

/** Makes the next run of this process, as in UI mode and watch mode, read the index again. */
export function forgetSuiteRecord(outputDir: string): void {
  (globalThis as GlobalRecords)[records]?.delete(outputDir);
}

const begunDirs = new Set<string>();

type RunBeginning = {
  planned?: readonly PlannedRecipe[];
  selection?: readonly string[];
  /** The directory that is certain to get the packages. In other directories, only an existing index is replaced. */
  ownDir?: string | undefined;
  /** Called when the process exits. */
  ending?(exitCode: number): RunEnding;
};

/** Begins a run before its reporter exists: marks the recipes in the indexes of these directories as unknown. */
export function markRecipesAsRunning(outputDirs: readonly string[], run: RunBeginning = {}): void {
  const { planned = [], selection = [], ownDir, ending } = run;
  for (const outputDir of new Set(outputDirs)) {
    const record = getSuiteRecord(outputDir);
    // The exit of the process ends a record that no reporter has ended.
    if (!begunDirs.has(outputDir)) decideExitCode((exitCode) => endWithoutThrowing(record, exitCode, ending));
    else if (planned.every(({ name }) => record.hasEntry(name))) continue;
    begunDirs.add(outputDir);
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
    // EACCES, ENOSPC: the index on disk still says that the run goes on.
    reportIndexWriteError(thrown);
    return exitCode || 1;
  }
}

/** Changes of an index that are not written yet. */
type PendingChanges = { entries: Map<string, SuiteEntry>; isWithdrawn(name: string): boolean; nextWriteAtMs: number };

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

/** Removes packages from the index by their names. */
export function withdrawPackages(outputDir: string, isWithdrawn: (name: string) => boolean): void {
  const changes = getPending(outputDir);
  changes.isWithdrawn = isWithdrawn;
  writePending(outputDir, changes);
}

function getPending(outputDir: string): PendingChanges {
  if (pendingByDir.size === 0) process.once('exit', recordAtExit);
  const changes = pendingByDir.get(outputDir) ?? {
    entries: new Map<string, SuiteEntry>(),
    isWithdrawn: () => false,
    nextWriteAtMs: 0,
  };
  pendingByDir.set(outputDir, changes);
  return changes;
}

/** Writes all changes, for a process that is about to end. */
export function flushPendingEntries(): void {
  for (const [outputDir, changes] of pendingByDir) if (changes.entries.size > 0) writePending(outputDir, changes);
}

/** Throws no error: in a listener of `exit`, that would keep a process alive whose host listens for errors. */
function recordAtExit(): void {
  try {
    flushPendingEntries();
  } catch (thrown) {
    reportIndexWriteError(thrown);
    process.exitCode ||= 1;
  }
}

/** Reports an error that can fail no test any more, because the process exits. */
export function reportIndexWriteError(thrown: unknown): void {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(
    `recipewright: A package or the index could not be written: ${why}. A recipe without a verdict there is unknown.\n`,
  );
}

function writePending(outputDir: string, changes: PendingChanges): void {
  const began = systemClock.now();
  const isDone = withIndexLocked(outputDir, () => {
    const { state, entries = [], selection = [] } = readSuiteIndex(outputDir) ?? {};
    // A finished index belongs to a former run.
    const listed =
      state === 'running' ? entries : entries.map(({ name, claims = [] }) => ({ name, claims, detail: hasBegunText }));
    const valid = listed.filter(({ name }) => !changes.isWithdrawn(name));
    const merged = new Map([...valid, ...changes.entries.values()].map((entry) => [entry.name, entry]));
    writeSuiteIndex(outputDir, [...merged.values()], emptyView, { state: 'running', selection });
  });
  if (isDone) {
    changes.entries.clear();
    changes.isWithdrawn = () => false;
  }
  changes.nextWriteAtMs = systemClock.now() + Math.max(minRestMs, (systemClock.now() - began) * restFactor);
}

const lockTimeoutMs = 5_000;
const lockPollMs = 10;

/** Returns false if another process held the lock all the time. */
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
