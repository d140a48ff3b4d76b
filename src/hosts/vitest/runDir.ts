// What the plugin, the workers and the reporters of one Vitest run know of each other.
import { join } from 'node:path';
import { newRunId } from '../../evidence/runIdentity.js';
import { readDirectory, readPathKind } from '../../system/files/files.js';
import { removeCacheDirectory } from '../../system/files/writeCacheFiles.js';

const variable = 'RECIPEWRIGHT_VITEST_RUN';

/** Called in the main process; workers inherit the variable. They write their packages there, and what a dead one left is found there, too. */
/** False when this process has one already. */
export function openRunDir(root: string): boolean {
  if (process.env[variable] !== undefined) return false;
  const runs = join(root, 'node_modules', '.cache', 'recipewright', 'vitest');
  for (const left of readDirectory(runs) ?? []) if (!isAlive(Number.parseInt(left, 10))) removeCacheDirectory(join(runs, left));
  process.env[variable] = join(runs, `${process.pid}-${newRunId()}`);
  process.once('exit', dropRunDir);
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // ESRCH: it is gone. EPERM: it is somebody else's.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The directory of one attempt of one test. */
export function attemptDir(testId: string, attempt: number): string {
  return join(process.env[variable] ?? '', testId.replace(/[^\w-]/g, '_'), String(attempt));
}

/** The first that is still free: retries and repetitions each have their own. */
export function newAttempt(testId: string): { attempt: number; artifactsDir: string } {
  let attempt = 0;
  while (readPathKind(attemptDir(testId, attempt)) !== undefined) attempt++;
  return { attempt, artifactsDir: attemptDir(testId, attempt) };
}

export function dropRunDir(): void {
  const dir = process.env[variable];
  if (dir !== undefined) removeCacheDirectory(dir);
}

const documents = Symbol.for('recipewright.vitest.documents');

type Shared = { [documents]?: Map<string, string> };

/** The documents of this process that are tests, with the root of their project: a module whose worker died says nothing of itself. */
export function documentsOfRun(): Map<string, string> {
  const shared = globalThis as Shared;
  shared[documents] ??= new Map();
  return shared[documents];
}
