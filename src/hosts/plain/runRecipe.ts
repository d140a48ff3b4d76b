// `recipewright run` and the programmatic API: one recipe, one directory, one package.
import { join, resolve } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodeOf, exitCodes, signalExitCodes } from '../../evidence/failure.js';
import { openJournal } from '../../evidence/journal.js';
import { type Summary, writePackage } from '../../evidence/package.js';
import { readPackage, readSummary } from '../../evidence/readPackage.js';
import type { TraceEntry } from '../../evidence/trace.js';
import { documentsOf } from '../../run/documents.js';
import type { Job } from '../../run/job.js';
import { maskedJournal } from '../../run/maskedJournal.js';
import { Session } from '../../run/session.js';
import { systemClock } from '../../system/clock.js';
import { fileDigest } from '../../system/fileDigest.js';
import { appendOnly, claimDirectory, entriesOf, insideOf } from '../../system/files.js';
import { linesOf } from '../../system/linesOf.js';
import { onSignals } from '../../system/signals.js';
import { plainHost } from './plainHost.js';
import { atFile, prepareRun, type Ready, type RunOptions } from './prepareRun.js';
import { removeLeaks } from './removeLeaks.js';

export type { RunOptions } from './prepareRun.js';

/** `exitCode` follows the failure table. */
export type RunResult = { findings: Finding[]; text: string; exitCode: number } & (
  | { ran: true; summary: Summary; trace: readonly TraceEntry[]; dir: string }
  | { ran: false }
);

export async function runRecipe(options: RunOptions): Promise<RunResult> {
  const ready = await prepareRun(options);
  const dir = resolve(options.artifactsDir);
  if (!('loaded' in ready)) {
    const { environment, ...said } = ready;
    return { ran: false, ...said, exitCode: environment ? exitCodes.environment : exitCodes.invalid };
  }
  const { findings, text } = ready;
  if ((entriesOf(dir)?.length ?? 0) > 0) {
    const hint = 'Name a new or an empty directory: a package belongs to one run.';
    const taken = atFile(dir, 'run.directory_not_empty', `The artifacts directory ${dir} is not empty.`, hint);
    return { ran: false, findings: [...findings, taken], text, exitCode: exitCodes.invalid };
  }
  claimDirectory(dir);
  await perform(ready, dir, options);
  finishPackage(dir, ready);
  return readBack(dir, { findings, text });
}

async function perform(ready: Ready, dir: string, { progress = () => undefined, signals }: RunOptions): Promise<void> {
  const file = appendOnly(join(dir, 'journal.jsonl'));
  const journal = maskedJournal(openJournal(systemClock, file.append), ready.secrets.vault);
  const host = plainHost(dir, progress, ready.loaded.plan);
  const job: Job = { ...ready, host: { ...host, removeLeaks: (vault) => removeLeaks(dir, vault) }, journal };
  const session = new Session(job);
  const withdraw = signals ? listen(session) : () => undefined;
  try {
    await session.runGraph();
  } finally {
    await session.close();
    withdraw();
    file.close();
  }
}

/** A doubled Ctrl+C, as npm sends it, is one; somebody who asks again later means at once. */
const doubledMs = 1_000;

function listen(session: Session): () => void {
  let first: number | undefined;
  return onSignals((signal) => {
    const now = systemClock.now();
    if (first !== undefined && now - first > doubledMs) process.exit(signalExitCodes[signal]);
    first ??= now;
    session.interrupt({ signal });
  });
}

function finishPackage(dir: string, { id, loaded }: Ready): void {
  writePackage(dir, {
    ...{ id, recipe: loaded.compiled.recipe.json, journal: linesOf(join(dir, 'journal.jsonl')), inPlace: true },
    artifact: (path) => fileDigest(insideOf(dir, path) ?? ''),
    documents: documentsOf(loaded),
  });
}

// What is returned is what a reader of the directory gets; the exit code follows from it, too.
function readBack(dir: string, said: { findings: Finding[]; text: string }): RunResult {
  const summary = readSummary(dir);
  return {
    ...said,
    ran: true,
    summary,
    exitCode: exitCodeOf(summary),
    dir,
    // It may be larger than the memory, and not everybody asks for it.
    get trace() {
      return (readPackage(dir).trace ?? []) as readonly TraceEntry[];
    },
  };
}
