// The index of one output directory while a run goes on: begun with nothing known, brought up to date as packages come, ended once.
import { join } from 'node:path';
import type { SuiteEntry, SuiteRun } from '../../evidence/suite.js';
import { type ReadSuite, readSuiteIndex, type SuiteView, writeSuiteIndex } from '../../evidence/suiteIndex.js';
import { suitePage } from '../../review/suite/suitePage.js';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { decideExitCode } from '../../system/processes/decideExitCode.js';
import { describeHostFailure } from './suiteProblems.js';

/** `name` as its package is called, and what it would prove. */
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

/** How a run ended that no reporter of ours saw to its end. */
export type RunEnding = {
  host: string;
  exitCode: number;
  /** All recipes that there are, also those that the run was not asked for; empty when that is not known. */
  plan: readonly SuiteEntry[];
  selection: readonly string[];
  /** Those who ran recipes recorded all of them: with exit code 0, what is missing was left out. */
  isComplete: boolean;
};

/** Nothing came of it so far. */
function isUnsettled({ summary, detail = hasBegunText }: SuiteEntry): boolean {
  return summary === undefined && detail === hasBegunText;
}

function describeEndedWithout(selection: readonly string[]): string {
  const [what, or] = ['The run ended without a package of it', 'it was left out by'];
  return selection.length > 0 ? `${what}: ${or} ${selection.join(' ')}, or the run failed before.` : `${what}.`;
}

const notRecipeName = /--repeat\d+$|^(shard|work tree) \d+ of \d+$/;

export class SuiteRecord {
  /** What the index said before this run. */
  readonly formerIndex: ReadSuite | undefined;
  private entries = new Map<string, SuiteEntry>();
  private selection: readonly string[] = [];
  private cancelWrite: (() => void) | undefined;
  private nextWriteAtMs = 0;
  isEnded = false;
  isStarted = false;
  /** A reporter of ours ends it, unless the process ends first. */
  hasReporter = false;
  /** It was abandoned, and something of it is not green. */
  private isRed = false;

  constructor(readonly outputDir: string) {
    this.formerIndex = readSuiteIndex(outputDir);
  }

  /** Whether something there tells of a former run. */
  get hasIndex(): boolean {
    return this.formerIndex !== undefined;
  }

  hasEntry(name: string): boolean {
    return this.entries.has(name);
  }

  /** From now on the index says that nothing is known. Without a plan, the recipes of the run before are expected again. */
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

  /** Something came of a recipe. The index says so soon. */
  put(entry: SuiteEntry): void {
    this.entries.set(entry.name, entry);
    this.cancelWrite ??= systemClock.after(Math.max(0, this.nextWriteAtMs - systemClock.now()), () => this.writeQuietly());
  }

  /**
   * The run is over: `entries` are all that were planned. Recipes of the run before that this one has not are listed as not run.
   * `isWhole`: the plan has all recipes that there are, also those that the run was not asked for.
   */
  end(
    entries: readonly SuiteEntry[],
    fullView: SuiteView,
    { isWhole = false, ...run }: SuiteRun & { isWhole?: boolean } = {},
  ): void {
    this.stop();
    const { selection = [] } = run;
    const left = selection.length > 0 && !isWhole ? describeLeftOut(selection) : removedEntry;
    const former = this.listFormerRecipes(new Set(entries.map(({ name }) => name)));
    const missing = former.map(({ name, claims = [] }) => ({ name, claims, ...left }));
    writeSuiteIndex(this.outputDir, [...entries, ...missing], fullView, { ...run, state: 'finished' });
  }

  /** What is expected where there is no index yet; whoever records a package begins one. */
  expect(planned: readonly PlannedRecipe[]): void {
    this.entries = new Map(planned.map((entry) => [entry.name, { ...entry, detail: hasBegunText }]));
  }

  /**
   * The run is over, and nobody here knows what came of its recipes but those who recorded their packages.
   * Returns the exit code that agrees with what the index says then.
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
    const settled = all.filter((entry) => !isUnsettled(entry));
    const { selection = index?.selection ?? [] } = ending;
    const settle = (entry: SuiteEntry, rest: Partial<SuiteEntry>): SuiteEntry =>
      isUnsettled(entry) ? { ...entry, ...rest } : entry;
    // A directory in which nothing was recorded may be that of another config.
    const isOver = isComplete && exitCode === 0 && !this.hasReporter && settled.length + selection.length > 0;
    const rest = isOver
      ? describeLeftOut(selection.length > 0 ? selection : ['test.only, test.skip, or a filter of the config'])
      : { detail: describeEndedWithout(selection) };
    const former = isOver && selection.length === 0 ? removedEntry : rest;
    // A plan is exact. Without one, what was expected at first is all that is known.
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
    // A recipe that is gone is told of by one run, unless that one did not end. Repetitions and shards are no recipes.
    const isTold = (removed = false): boolean => removed && state === 'finished';
    const known = entries.filter(({ name, removed }) => !names.has(name) && !isTold(removed) && !notRecipeName.test(name));
    return known.map(({ name, claims, summary }) => ({ name, claims: claims ?? summary?.proof ?? [] }));
  }

  private writeQuietly(): void {
    try {
      this.write();
    } catch {
      // EACCES, ENOSPC: what cannot be written now cannot be at the end either, and that is told.
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

/** What an index says of a recipe that was not among those the run was asked for. */
export function describeLeftOut(selection: readonly string[]): Pick<SuiteEntry, 'notRun' | 'detail'> {
  return { notRun: true, detail: `Left out by ${selection.join(' ')}.` };
}

const records = Symbol.for('recipewright.suiteRecords');

type GlobalRecords = { [records]?: Map<string, SuiteRecord> };

/** The one of this process: a config begins what a reporter ends. */
export function getSuiteRecord(outputDir: string): SuiteRecord {
  const shared = globalThis as GlobalRecords;
  shared[records] ??= new Map();
  const record = shared[records].get(outputDir) ?? new SuiteRecord(outputDir);
  shared[records].set(outputDir, record);
  return record;
}

/** The next run of this process, as UI mode and watch mode have them, begins with what the index says then. */
export function forgetSuiteRecord(outputDir: string): void {
  (globalThis as GlobalRecords)[records]?.delete(outputDir);
}

const begunDirs = new Set<string>();

/**
 * What a run is known to do at its beginning. `ownDir`: where its packages go for certain; its index begins there in any case,
 * elsewhere only over one that is there. `ending`: asked when the process exits.
 */
export type RunBeginning = {
  planned?: readonly PlannedRecipe[];
  selection?: readonly string[];
  ownDir?: string | undefined;
  ending?(exitCode: number): RunEnding;
};

/** Of a run whose reporter is not there yet: nothing that an index in these directories says counts any more. */
export function beginRun(outputDirs: readonly string[], run: RunBeginning = {}): void {
  const { planned = [], selection = [], ownDir, ending } = run;
  for (const outputDir of new Set(outputDirs)) {
    const record = getSuiteRecord(outputDir);
    // A reporter of ours ends it; without one, this process does.
    if (!begunDirs.has(outputDir)) decideExitCode((exitCode) => endQuietly(record, exitCode, ending));
    else if (planned.every(({ name }) => record.hasEntry(name))) continue;
    begunDirs.add(outputDir);
    try {
      if (record.hasIndex || outputDir === ownDir) record.start(planned, selection);
      else record.expect(planned);
    } catch {
      // EACCES, ENOSPC, or files of somebody else: the reporter says so when it cannot write either.
    }
  }
}

/** For a process that ends. Returns its exit code. */
export function endQuietly(record: SuiteRecord, exitCode: number, ending?: RunBeginning['ending']): number {
  try {
    const agreed = record.abandon(ending?.(exitCode));
    return ending ? agreed : exitCode;
  } catch (thrown) {
    // EACCES, ENOSPC: the index still says that the run goes on.
    reportUnwritten(thrown);
    return exitCode || 1;
  }
}

type Pending = { entries: Map<string, SuiteEntry>; isWithdrawn(name: string): boolean; nextAt: number };

const pending = new Map<string, Pending>();

/**
 * For whoever writes a package without a reporter, in whatever process: puts its verdict into the index of the output directory.
 * The index is brought up to date at once or soon, and at the latest when the process exits.
 */
export function recordPackage(outputDir: string, entry: SuiteEntry): void {
  const own = getPending(outputDir);
  own.entries.set(entry.name, entry);
  if (systemClock.now() >= own.nextAt) writePending(outputDir, own);
}

/** What the index lists by such a name does not count any more. */
export function withdrawPackages(outputDir: string, isWithdrawn: (name: string) => boolean): void {
  const own = getPending(outputDir);
  own.isWithdrawn = isWithdrawn;
  writePending(outputDir, own);
}

function getPending(outputDir: string): Pending {
  if (pending.size === 0) process.once('exit', recordAtExit);
  const own = pending.get(outputDir) ?? { entries: new Map<string, SuiteEntry>(), isWithdrawn: () => false, nextAt: 0 };
  pending.set(outputDir, own);
  return own;
}

/** For a process that is about to end. */
export function recordAll(): void {
  for (const [outputDir, own] of pending) if (own.entries.size > 0) writePending(outputDir, own);
}

/** An error in a listener of `exit` keeps a process alive whose host listens to errors. */
function recordAtExit(): void {
  try {
    recordAll();
  } catch (thrown) {
    reportUnwritten(thrown);
    process.exitCode ||= 1;
  }
}

/** For a process that exits, in which nobody is left to fail. */
export function reportUnwritten(thrown: unknown): void {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(
    `recipewright: A package or the index could not be written: ${why}. What has no verdict there is unknown.\n`,
  );
}

function writePending(outputDir: string, own: Pending): void {
  const began = systemClock.now();
  const isDone = withIndexLocked(outputDir, () => {
    const { state, entries = [], selection = [] } = readSuiteIndex(outputDir) ?? {};
    // What an index that is finished says is of a former run.
    const known =
      state === 'running' ? entries : entries.map(({ name, claims = [] }) => ({ name, claims, detail: hasBegunText }));
    const valid = known.filter(({ name }) => !own.isWithdrawn(name));
    const merged = new Map([...valid, ...own.entries.values()].map((one) => [one.name, one]));
    writeSuiteIndex(outputDir, [...merged.values()], emptyView, { state: 'running', selection });
  });
  if (isDone) {
    own.entries.clear();
    own.isWithdrawn = () => false;
  }
  own.nextAt = systemClock.now() + Math.max(minRestMs, (systemClock.now() - began) * restFactor);
}

const lockTimeoutMs = 5_000;
const lockPollMs = 10;

/** False when another process held the lock all the time. */
function withIndexLocked(outputDir: string, work: () => void): boolean {
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < lockTimeoutMs; waitedMs += lockPollMs) {
    const giveBack = acquireLock(join(outputDir, '.suite.lock'));
    if (!giveBack) {
      Atomics.wait(sleeping, 0, 0, lockPollMs);
      continue;
    }
    try {
      work();
    } finally {
      giveBack();
    }
    return true;
  }
  return false;
}
