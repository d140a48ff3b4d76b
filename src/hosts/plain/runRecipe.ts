// `recipewright run` and the programmatic API: one recipe, one directory, one package.
import { resolve } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodeOf, exitCodes, signalExitCodes } from '../../evidence/exitCodes.js';
import { openJournal } from '../../evidence/journal.js';
import { readPackage, readSummary } from '../../evidence/readPackage.js';
import type { TraceEntry } from '../../evidence/trace.js';
import type { Summary } from '../../evidence/writePackage.js';
import type { Job } from '../../run/job.js';
import { maskJournal } from '../../run/masking.js';
import { Session } from '../../run/session.js';
import { ownFilesOf, readTreeAtStart, treeChangesSince } from '../../run/treeAtStart.js';
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
import type { Refused, Rejection } from '../shared/refused.js';
import { removeLeaks } from '../shared/removeLeaks.js';
import { type ArtifactsDir, type NotTaken, replaced, takeArtifactsDir, unreadable, unusable } from './artifactsDir.js';
import { endJournal, finishPackage, partsOf, showRecipe } from './finishPackage.js';
import { keepRejected } from './keepRejected.js';
import type { NotOpened, OpenBrowser } from './plainBrowser.js';
import { plainHost } from './plainHost.js';
import { prepareRun, type Ready, type RunOptions } from './prepareRun.js';

export type { RunOptions } from './prepareRun.js';

/** `exitCode` follows the failure table. */
export type RunResult = { findings: Finding[]; text: string; exitCode: number } & (
  | { ran: true; verdict: Summary['status']; summary: Summary; trace: readonly TraceEntry[]; dir: string }
  // `dir`: where a package says so.
  | { ran: false; rejection?: Rejection; dir?: string }
);

/** Runs a file, or a recipe itself, and leaves its package in `artifactsDir`. */
export async function runRecipe(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const prepared = await prepareRun({ ...options, recipe });
  const dir = resolve(options.artifactsDir);
  if (!('loaded' in prepared)) return refusedRun(dir, prepared, options);
  const ready = { ...prepared, ...treeOf(prepared.projectRoot, options) };
  const opened = await openPages(ready, options.signals === true);
  if (opened && 'refused' in opened) return refusedBy(opened, ready);
  try {
    return await runIn(dir, ready, { ...options, opened });
  } finally {
    await opened?.close();
  }
}

// The run of a test runner begins before its recipes do.
function treeOf(projectRoot: string, { host }: RunOptions): Pick<Job, 'tree' | 'treeChanges'> {
  const own = ownFilesOf(projectRoot);
  const tree = host ? readTreeAtStart(projectRoot) : readGitTree(projectRoot, own);
  return { tree, treeChanges: host ? treeChangesSince(projectRoot, tree) : tree && (() => listChangesSince(tree, own)) };
}

/** A test runner that asks for it makes the package itself. */
async function refusedRun(dir: string, { environment, of, ...said }: Refused, { host }: RunOptions): Promise<RunResult> {
  const refused = { ran: false, ...said, exitCode: environment ? exitCodes.environment : exitCodes.invalid } as const;
  if (!said.rejection || !of || host) return refused;
  const lost = await keepRejected(dir, of, { ...said, ...said.rejection });
  return lost ? { ...refused, findings: [...said.findings, lost.refused], exitCode: lost.exitCode } : { ...refused, dir };
}

type Around = Pick<RunOptions, 'progress' | 'watch' | 'signals' | 'signal' | 'host'> & { opened: OpenBrowser | undefined };

async function runIn(dir: string, ready: Ready, around: Around): Promise<RunResult> {
  const { findings, text } = ready;
  const taken = takeArtifactsDir(dir);
  if ('refused' in taken) return refusedBy(taken, ready);
  try {
    // A test runner keeps it elsewhere.
    const shown = around.host ? undefined : showRecipe(taken, ready.loaded.compiled.recipe.json);
    const unsaid = await perform(ready, taken, around);
    const { openReview } = await import('../../pages/review/reviewPage.js');
    finishPackage(taken, { ...partsOf(ready, taken), shown, review: openReview }, unsaid);
    return show(taken, { findings, text });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return lost(unusable(dir, thrown), { findings, text });
  } finally {
    taken.release();
  }
}

function refusedBy({ refused, exitCode }: NotOpened | NotTaken, { findings, text }: Ready): RunResult {
  return { ran: false, findings: [...findings, refused], text, exitCode };
}

/** Undefined for a recipe that needs none; nothing of Playwright is even loaded then. */
async function openPages(ready: Ready, signals: boolean): Promise<OpenBrowser | NotOpened | undefined> {
  if (!ready.browser) return undefined;
  const { openBrowser } = await import('./plainBrowser.js');
  return openBrowser(ready, signals);
}

type Said = { findings: Finding[]; text: string };

function show(taken: ArtifactsDir, said: Said): RunResult {
  if (!taken.isInPlace()) return lost(replaced(taken.name), said);
  try {
    return readBack(taken.name, said);
  } catch (thrown) {
    return lost(unreadable(taken.name, thrown), said);
  }
}

// It ran, but nobody can be shown what came of it.
function lost(why: Finding, { findings, text }: Said): RunResult {
  return { ran: false, findings: [...findings, why], text, exitCode: exitCodes.environment };
}

/** Comes back with what kept the journal from being ended. */
async function perform(ready: Ready, taken: ArtifactsDir, around: Around): Promise<NodeJS.ErrnoException | undefined> {
  const began = systemClock.now();
  const journal = maskJournal(openJournal(systemClock, taken.journal.append), ready.secrets.vault);
  const { opened } = around;
  const host = { ...plainHost(taken.keep, around, ready.loaded.plan), ...around.host };
  const given = opened ? { fixtures: opened.fixtures } : {};
  const job: Job = {
    ...{ ...ready, host: { ...host, ...given, removeLeaks: (vault: Vault) => removeLeaks(taken.path, vault) }, journal },
    ...(opened ? { onlooker: opened.onlooker } : {}),
    ...(around.signals && ready.hasSetup ? { waitForLeftovers: leftoversFromNow() } : {}),
  };
  try {
    await runSession(job, around);
  } catch (thrown) {
    if (thrown !== taken.journal.failure) throw thrown;
  }
  return endJournal(taken, journal, systemClock.now() - began);
}

/** Longer than what is only late, shorter than anybody minds. */
const longestWaitMs = 200;

function leftoversFromNow(): () => Promise<void> {
  const before = countActiveResources();
  return () => waitForPendingWork(before, systemClock, longestWaitMs);
}

async function runSession(job: Job, { signals = false, signal }: Around): Promise<void> {
  const session = new Session(job);
  const withdraw = signals ? listen(session) : () => undefined;
  const interrupt = (): void => session.interrupt({ why: 'the test was stopped', hurries: true });
  if (signal?.aborted) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    await session.runGraph();
  } finally {
    await session.close().finally(withdraw);
    signal?.removeEventListener('abort', interrupt);
  }
}

function listen(session: Session): () => void {
  let first: number | undefined;
  const forget = onUncaughtErrors((thrown) => session.reportUnhandledError(thrown));
  const withdraw = onSignals((signal) => {
    const now = systemClock.now();
    if (first !== undefined && now - first > repeatWindowMs) process.exit(signalExitCodes[signal]);
    first ??= now;
    session.interrupt({ signal });
  });
  return () => {
    forget();
    withdraw();
  };
}

// What is returned is what a reader of the directory gets; the exit code follows from it, too.
function readBack(dir: string, said: Said): RunResult {
  const summary = readSummary(dir);
  return {
    ...said,
    ran: true,
    verdict: summary.status,
    summary,
    exitCode: exitCodeOf(summary),
    dir,
    // It may be larger than the memory, and not everybody asks for it.
    get trace() {
      return (readPackage(dir).trace ?? []) as readonly TraceEntry[];
    },
  };
}
