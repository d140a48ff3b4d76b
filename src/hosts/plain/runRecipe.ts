// `recipewright run` and the programmatic API: one recipe, one directory, one package.
import { join, resolve } from 'node:path';
import { createRegistry } from '../../actions/registry.js';
import { loadRecipe } from '../../check/loadRecipe.js';
import { type Finding, hasErrors } from '../../document/finding.js';
import { openJournal } from '../../evidence/journal.js';
import { buildPackage, type Summary, writePackage } from '../../evidence/package.js';
import type { TraceEntry } from '../../evidence/trace.js';
import { defaultNodeTimeoutMs, type Job } from '../../run/job.js';
import { inputValues, newRunId, recipeId } from '../../run/recipeId.js';
import { Session } from '../../run/session.js';
import { systemClock } from '../../system/clock.js';
import { appendOnly, claimDirectory, entriesOf, insideOf, readBytes, readBytesIfThere } from '../../system/files.js';
import { onSignals } from '../../system/signals.js';
import { type Progress, plainHost } from './plainHost.js';

export type RunOptions = { recipe: string; artifactsDir: string; projectRoot?: string; progress?: Progress };

export type RunResult =
  | { ran: true; summary: Summary; trace: TraceEntry[]; dir: string; findings: Finding[]; text: string }
  | { ran: false; findings: Finding[]; text: string };

export async function runRecipe(options: RunOptions): Promise<RunResult> {
  const projectRoot = resolve(options.projectRoot ?? process.cwd());
  const file = resolve(options.recipe);
  const dir = resolve(options.artifactsDir);
  const registry = createRegistry({ fixtures: [] });
  const { loaded, findings, text } = loadRecipe(file, { registry, projectRoot });
  if (!loaded || hasErrors(findings)) return { ran: false, findings, text };
  const taken = entriesOf(dir);
  if (taken && taken.length > 0) return { ran: false, text, findings: [...findings, notEmpty(dir)] };
  claimDirectory(dir);
  const journalFile = appendOnly(join(dir, 'journal.jsonl'));
  const job: Job = {
    ...{
      id: recipeId(file, projectRoot),
      loaded,
      registry,
      projectRoot,
      runId: newRunId(),
      passEnv: [],
      attempt: 0,
      nodeTimeoutMs: defaultNodeTimeoutMs,
      clock: systemClock,
    },
    inputs: inputValues(loaded.compiled.recipe),
    host: plainHost(dir, options.progress ?? (() => undefined)),
    journal: openJournal(systemClock, journalFile.append),
  };
  await perform(job);
  journalFile.close();
  return { ran: true, ...finishPackage(dir, job.id, loaded.compiled.recipe.json), dir, findings, text };
}

async function perform(job: Job): Promise<void> {
  const session = new Session(job);
  const withdraw = onSignals((signal) => session.interrupt({ signal }));
  try {
    await session.runGraph();
  } finally {
    await session.close();
    withdraw();
  }
}

// What is returned is what a reader of the directory gets: journal and summary are read back from the disk.
function finishPackage(dir: string, id: string, recipe: unknown): { summary: Summary; trace: TraceEntry[] } {
  const journal = readBytes(join(dir, 'journal.jsonl')).toString().split('\n').slice(0, -1);
  const artifact = (path: string): Uint8Array | undefined => readBytesIfThere(insideOf(dir, path) ?? '');
  const built = buildPackage({ id, recipe, journal, artifact });
  writePackage(dir, built);
  return { summary: JSON.parse(readBytes(join(dir, 'summary.json')).toString()) as Summary, trace: built.trace };
}

function notEmpty(dir: string): Finding {
  const message = `The artifacts directory ${dir} is not empty.`;
  const hint = 'Name a new or an empty directory: a package belongs to one run.';
  return {
    code: 'run.directory_not_empty',
    severity: 'error',
    path: '',
    place: { file: dir, line: 1, column: 1 },
    message,
    hint,
  };
}
