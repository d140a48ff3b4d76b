// `recipewright run` and the programmatic API: one recipe, one directory, one package.
import { join, resolve } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodeOf, exitCodes, signalExitCodes } from '../../evidence/failure.js';
import { openJournal } from '../../evidence/journal.js';
import type { PackageParts, Summary } from '../../evidence/package.js';
import { readPackage, readSummary } from '../../evidence/readPackage.js';
import type { TraceEntry } from '../../evidence/trace.js';
import { documentsOf } from '../../run/documents.js';
import type { Job } from '../../run/job.js';
import { maskedJournal } from '../../run/maskedJournal.js';
import { Session } from '../../run/session.js';
import { systemClock } from '../../system/clock.js';
import { fileDigest } from '../../system/fileDigest.js';
import { insideOf } from '../../system/files.js';
import { linesOf } from '../../system/linesOf.js';
import { onSignals } from '../../system/signals.js';
import { onStrayErrors } from '../../system/strayErrors.js';
import { isRefusal } from '../../system/whyRefused.js';
import { type ArtifactsDir, replaced, takeArtifactsDir, unreadable, unusable } from './artifactsDir.js';
import { endJournal, finishPackage } from './finishPackage.js';
import { plainHost } from './plainHost.js';
import { prepareRun, type Ready, type RunOptions } from './prepareRun.js';
import { removeLeaks } from './removeLeaks.js';

export type { RunOptions } from './prepareRun.js';

/** `exitCode` follows the failure table. */
export type RunResult = { findings: Finding[]; text: string; exitCode: number } & (
  | { ran: true; verdict: Summary['status']; summary: Summary; trace: readonly TraceEntry[]; dir: string }
  | { ran: false }
);

/** Runs a file, or a recipe itself, and leaves its package in `artifactsDir`. */
export async function runRecipe(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const ready = await prepareRun({ ...options, recipe });
  const dir = resolve(options.artifactsDir);
  if (!('loaded' in ready)) {
    const { environment, ...said } = ready;
    return { ran: false, ...said, exitCode: environment ? exitCodes.environment : exitCodes.invalid };
  }
  const { findings, text } = ready;
  const taken = takeArtifactsDir(dir);
  if ('refused' in taken) return { ran: false, findings: [...findings, taken.refused], text, exitCode: taken.exitCode };
  try {
    finishPackage(taken, partsOf(ready, taken), await perform(ready, taken, options));
    return show(taken, { findings, text });
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return lost(unusable(dir, thrown), { findings, text });
  } finally {
    taken.release();
  }
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
async function perform(
  ready: Ready,
  taken: ArtifactsDir,
  { progress, signals }: RunOptions,
): Promise<NodeJS.ErrnoException | undefined> {
  const began = systemClock.now();
  const journal = maskedJournal(openJournal(systemClock, taken.journal.append), ready.secrets.vault);
  const host = plainHost(taken.keep, progress, ready.loaded.plan);
  const job: Job = { ...ready, host: { ...host, removeLeaks: (vault) => removeLeaks(taken.path, vault) }, journal };
  try {
    await runSession(job, signals === true);
  } catch (thrown) {
    if (thrown !== taken.journal.failure) throw thrown;
  }
  return endJournal(taken, journal, systemClock.now() - began);
}

async function runSession(job: Job, signals: boolean): Promise<void> {
  const session = new Session(job);
  const withdraw = signals ? listen(session) : () => undefined;
  try {
    await session.runGraph();
  } finally {
    await session.close().finally(withdraw);
  }
}

/** A doubled Ctrl+C, as npm sends it, is one; somebody who asks again later means at once. */
const doubledMs = 1_000;

function listen(session: Session): () => void {
  let first: number | undefined;
  const forget = onStrayErrors((thrown) => session.blame(thrown));
  const withdraw = onSignals((signal) => {
    const now = systemClock.now();
    if (first !== undefined && now - first > doubledMs) process.exit(signalExitCodes[signal]);
    first ??= now;
    session.interrupt({ signal });
  });
  return () => {
    forget();
    withdraw();
  };
}

function partsOf({ id, loaded }: Ready, { path: dir }: ArtifactsDir): PackageParts {
  return {
    ...{ id, recipe: loaded.compiled.recipe.json, journal: linesOf(join(dir, 'journal.jsonl')), inPlace: true },
    artifact: (path) => fileDigest(insideOf(dir, path) ?? ''),
    documents: documentsOf(loaded),
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
