// What the plugin, the workers and the reporter of one Vitest run know of each other.
import { join } from 'node:path';
import { removeOwnTree } from '../../system/removeOwnTree.js';

const variable = 'RECIPEWRIGHT_VITEST_RUN';

/** Called in the main process; workers inherit the variable. There they write their packages, and what a dead one left is found there, too. */
export function openRunDir(root: string): void {
  process.env[variable] ??= join(root, 'node_modules', '.cache', 'recipewright', 'vitest', `${process.pid}-${Date.now()}`);
}

/** The directory of one attempt of one test. */
export function attemptDir(testId: string, attempt: number): string {
  return join(process.env[variable] ?? '', testId.replace(/[^\w-]/g, '_'), String(attempt));
}

export function dropRunDir(): void {
  const dir = process.env[variable];
  if (dir !== undefined) removeOwnTree(dir);
}

const documents = Symbol.for('recipewright.vitest.documents');

type Shared = { [documents]?: Set<string> };

/** The documents of this process that are tests, for the reporter: a module whose worker died says nothing of itself. */
export function documentsOfRun(): Set<string> {
  const shared = globalThis as Shared;
  shared[documents] ??= new Set();
  return shared[documents];
}
