// `recipewright run` and the programmatic API: one recipe, one directory, one package.
import { resolve } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodeOf, exitCodes, signalExitCodes } from '../../evidence/failureTable.js';
import { openJournal } from '../../evidence/journal.js';
import { readPackage, readSummary } from '../../evidence/readPackage.js';
import type { TraceEntry } from '../../evidence/trace.js';
import type { Summary } from '../../evidence/writePackage.js';
import type { Job } from '../../run/job.js';
import { maskJournal } from '../../run/maskErrorsAndJournal.js';
import { Session } from '../../run/session.js';
import { createTreeChangeLister, ownFilesOf, readTreeAtStart } from '../../run/treeAtStart.js';
import type { Vault } from '../../secrets/vault.js';
import { systemClock } from '../../system/clock.js';
import { isSystemError } from '../../system/files/systemErrors.js';
import { listChangesSince, readGitTree } from '../../system/git/gitTree.js';
import {
  countActiveResources,
  onSignals,
  onUncaughtErrors,
  repeatWindowMs,
  waitForPendingWork,
} from '../../system/processes/processEvents.js';
import type { RefusedRun, Rejection } from '../shared/refusedRun.js';
import { removeLeaks } from '../shared/removeLeaks.js';
import {
  type ArtifactsDir,
  type DirectoryRefusal,
  replacedDirFinding,
  takeArtifactsDir,
  unreadablePackageFinding,
  unusableDirFinding,
} from './artifactsDir.js';
import { endJournal, finishPackage, packagePartsOf, writeRecipeEarly, writeRejectedPackage } from './finishPackage.js';
import type { BrowserRefusal, OpenBrowser } from './plainBrowser.js';
import { plainHost } from './plainHost.js';
import { prepareRun, type Ready, type RunOptions } from './prepareRun.js';

export type { RunOptions } from './prepareRun.js';

/** `exitCode`: see evidence/exitCodes.ts. */
export type RunResult = { findings: Finding[]; text: string; exitCode: number } & (
  | { ran: true; verdict: Summary['status']; summary: Summary; trace: readonly TraceEntry[]; dir: string }
  // `dir`: the directory of a package that records the rejection.
  | { ran: false; rejection?: Rejection; dir?: string }
);

/** Runs a recipe, which is the path of a file or an object, and writes its package to `artifactsDir`. */
export async function runRecipe(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const prepared = await prepareRun({ ...options, recipe });
  const dir = resolve(options.artifactsDir);
  if (!('loaded' in prepared)) return rejectedResult(dir, prepared, options);
  const ready = { ...prepared, ...readTree(prepared.projectRoot, options) };
  const opened = await openPages(ready, options.signals === true);
  if (opened && 'refused' in opened) return refusedResult(opened, ready);
  try {
    return await runIn(dir, ready, { ...options, opened });
  } finally {
    await opened?.close();
  }
}

// A test runner reads the work tree once, when its run begins.
function readTree(projectRoot: string, { host }: RunOptions): Pick<Job, 'tree' | 'listTreeChanges'> {
  const own = ownFilesOf(projectRoot);
  const tree = host ? readTreeAtStart(projectRoot) : readGitTree(projectRoot, own);
  return {
    tree,
    listTreeChanges: host ? createTreeChangeLister(projectRoot, tree) : tree && (() => listChangesSince(tree, own)),
  };
}

/** Writes a package for a rejected recipe, except when a test runner (`host`) runs it: that one writes the package itself. */
async function rejectedResult(
  dir: string,
  { environment, rejectedRecipe, ...rejected }: RefusedRun,
  { host }: RunOptions,
): Promise<RunResult> {
  const refused = { ran: false, ...rejected, exitCode: environment ? exitCodes.environment : exitCodes.invalid } as const;
  if (!rejected.rejection || !rejectedRecipe || host) return refused;
  const refusal = await writeRejectedPackage(dir, rejectedRecipe, { ...rejected, ...rejected.rejection });
  return refusal
    ? { ...refused, findings: [...rejected.findings, refusal.refused], exitCode: refusal.exitCode }
    : { ...refused, dir };
}

type RunContext = Pick<RunOptions, 'progress' | 'watch' | 'signals' | 'signal' | 'host'> & { opened: OpenBrowser | undefined };

async function runIn(dir: string, ready: Ready, context: RunContext): Promise<RunResult> {
  const { findings, text } = ready;
  const artifactsDir = takeArtifactsDir(dir);
  if ('refused' in artifactsDir) return refusedResult(artifactsDir, ready);
  try {
    // A test runner writes the recipe to the package itself.
    const writtenRecipe = context.host ? undefined : writeRecipeEarly(artifactsDir, ready.loaded.compiled.recipe.json);
    const journalError = await runAndJournal(ready, artifactsDir, context);
    const { openReview } = await import('../../pages/review/reviewPage.js');
    finishPackage(artifactsDir, { ...packagePartsOf(ready, artifactsDir), writtenRecipe, review: openReview }, journalError);
    return openResult(artifactsDir, { findings, text });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return lostResult(unusableDirFinding(dir, thrown), { findings, text });
  } finally {
    artifactsDir.release();
  }
}

function refusedResult({ refused, exitCode }: BrowserRefusal | DirectoryRefusal, { findings, text }: Ready): RunResult {
  return { ran: false, findings: [...findings, refused], text, exitCode };
}

/** Returns undefined for a recipe that needs no page, without loading Playwright. */
async function openPages(ready: Ready, signals: boolean): Promise<OpenBrowser | BrowserRefusal | undefined> {
  if (!ready.browser) return undefined;
  const { openBrowser } = await import('./plainBrowser.js');
  return openBrowser(ready, signals);
}

type RunFindings = { findings: Finding[]; text: string };

function openResult(artifactsDir: ArtifactsDir, runFindings: RunFindings): RunResult {
  if (!artifactsDir.isInPlace()) return lostResult(replacedDirFinding(artifactsDir.name), runFindings);
  try {
    return readResult(artifactsDir.name, runFindings);
  } catch (thrown) {
    return lostResult(unreadablePackageFinding(artifactsDir.name, thrown), runFindings);
  }
}

// The recipe ran, but its evidence is lost.
function lostResult(finding: Finding, { findings, text }: RunFindings): RunResult {
  return { ran: false, findings: [...findings, finding], text, exitCode: exitCodes.environment };
}

/** Returns the error if the last line of the journal could not be written. */
async function runAndJournal(
  ready: Ready,
  artifactsDir: ArtifactsDir,
  context: RunContext,
): Promise<NodeJS.ErrnoException | undefined> {
  const startedAt = systemClock.now();
  const journal = maskJournal(openJournal(systemClock, artifactsDir.journal.append), ready.secrets.vault);
  const { opened } = context;
  const host: Job['host'] = {
    ...plainHost(artifactsDir.writeEvidence, context, ready.loaded.plan),
    ...context.host,
    ...(opened ? { fixtures: opened.fixtures } : {}),
    removeLeaks: (vault: Vault) => removeLeaks(artifactsDir.path, vault),
  };
  const job: Job = {
    ...ready,
    host,
    journal,
    ...(opened ? { nodeObserver: opened.pageRecorder } : {}),
    ...(opened?.baseURL === undefined ? {} : { baseURL: opened.baseURL }),
    ...(context.signals && ready.hasSetup ? { waitForLeftovers: watchLeftovers() } : {}),
  };
  try {
    await runSession(job, context);
  } catch (thrown) {
    if (thrown !== artifactsDir.journal.failure) throw thrown;
  }
  return endJournal(artifactsDir, journal, systemClock.now() - startedAt);
}

/** Long enough for a late error of an action, short enough not to be noticed. */
const leftoverWaitMs = 200;

function watchLeftovers(): () => Promise<void> {
  const before = countActiveResources();
  return () => waitForPendingWork(before, systemClock, leftoverWaitMs);
}

async function runSession(job: Job, { signals = false, signal }: RunContext): Promise<void> {
  const session = new Session(job);
  const stopListening = signals ? interruptOnSignals(session) : () => undefined;
  const interrupt = (): void => session.interrupt({ why: 'the test was stopped', isUrgent: true });
  if (signal?.aborted) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    await session.runGraph();
  } finally {
    await session.close().finally(stopListening);
    signal?.removeEventListener('abort', interrupt);
  }
}

function interruptOnSignals(session: Session): () => void {
  let firstSignalAt: number | undefined;
  const stopListeningForErrors = onUncaughtErrors((thrown) => session.reportUnhandledError(thrown));
  const stopListening = onSignals((signal) => {
    const now = systemClock.now();
    if (firstSignalAt !== undefined && now - firstSignalAt > repeatWindowMs) process.exit(signalExitCodes[signal]);
    firstSignalAt ??= now;
    session.interrupt({ signal });
  });
  return () => {
    stopListeningForErrors();
    stopListening();
  };
}

// The result and the exit code come from the written package, so that they cannot differ from it.
function readResult(dir: string, runFindings: RunFindings): RunResult {
  const summary = readSummary(dir);
  return {
    ...runFindings,
    ran: true,
    verdict: summary.status,
    summary,
    exitCode: exitCodeOf(summary),
    dir,
    // A getter, because a trace may be very large and few callers read it.
    get trace() {
      return (readPackage(dir).trace ?? []) as readonly TraceEntry[];
    },
  };
}
