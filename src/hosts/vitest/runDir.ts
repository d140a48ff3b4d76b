// What the plugin, the workers and the reporters of one Vitest run know of each other.
import { join } from 'node:path';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { newRunId } from '../../evidence/runIdentity.js';
import { collectDocuments } from '../../run/packageDocuments.js';
import { listFilesBelow, readBytesIfThere, readDirectory, readPathKind } from '../../system/files/files.js';
import { removeCacheDirectory, writeCacheFiles } from '../../system/files/writeCacheFiles.js';

const runDirVariable = 'RECIPEWRIGHT_VITEST_RUN';

/** Called in the main process; workers inherit the variable. They write their packages there, and what a dead one left is found there, too. */
/** False when this process has one already. */
export function openRunDir(root: string): boolean {
  if (process.env[runDirVariable] !== undefined) return false;
  const runs = join(root, 'node_modules', '.cache', 'recipewright', 'vitest');
  for (const abandoned of readDirectory(runs) ?? [])
    if (!isAlive(Number.parseInt(abandoned, 10))) removeCacheDirectory(join(runs, abandoned));
  process.env[runDirVariable] = join(runs, `${process.pid}-${newRunId()}`);
  process.once('exit', removeRunDir);
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
  return join(process.env[runDirVariable] ?? '', testId.replace(/[^\w-]/g, '_'), String(attempt));
}

/** The first that is still free: retries and repetitions each have their own. */
export function nextAttempt(testId: string): { attempt: number; artifactsDir: string } {
  let attempt = 0;
  while (readPathKind(attemptDir(testId, attempt)) !== undefined) attempt++;
  return { attempt, artifactsDir: attemptDir(testId, attempt) };
}

export function removeRunDir(): void {
  const dir = process.env[runDirVariable];
  if (dir !== undefined) removeCacheDirectory(dir);
}

const documentsKey = Symbol.for('recipewright.vitest.documents');

type SharedDocuments = { [documentsKey]?: Map<string, string> };

/** The documents of this process that are tests, with the root of their project: a module whose worker died says nothing of itself. */
export function documentsOfRun(): Map<string, string> {
  const shared = globalThis as SharedDocuments;
  shared[documentsKey] ??= new Map();
  return shared[documentsKey];
}

// The documents of a package, written before the first node runs: a worker that dies writes nothing any more.

export function writeDocuments(artifactsDir: string, loaded: LoadedRecipe): void {
  const texts = [...collectDocuments(loaded)].map(([path, content]) => [path, bytesOf(content).toString()] as const);
  const recipe = `${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`;
  writeCacheFiles(
    new Map([['recipe.json', recipe] as const, ...texts].map(([path, text]) => [join(documentsDir(artifactsDir), path), text])),
  );
}

/** Of a run that did not begin; its journal is empty. */
export function writeRefusedDocuments(artifactsDir: string, documents: ReadonlyMap<string, string>): void {
  writeCacheFiles(
    new Map([...documents, ['journal.jsonl', ''] as const].map(([path, text]) => [join(artifactsDir, path), text])),
  );
}

export function documentNames(artifactsDir: string): string[] {
  return listFilesBelow(documentsDir(artifactsDir));
}

export function readDocumentBytes(artifactsDir: string, name: string): Buffer | undefined {
  return readBytesIfThere(join(documentsDir(artifactsDir), name));
}

function documentsDir(artifactsDir: string): string {
  return `${artifactsDir}-documents`;
}
