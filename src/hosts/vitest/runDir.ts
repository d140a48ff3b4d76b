// The cache directory of one Vitest run, where workers write packages for the reporter, and the documents of the run.
import { join } from 'node:path';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { newRunId } from '../../evidence/runIdentity.js';
import { collectDocuments } from '../../run/collectDocuments.js';
import { listFilesBelow, readBytesIfThere, readDirectory, readPathKind } from '../../system/files/files.js';
import { removeCacheDirectory, writeCacheFiles } from '../../system/files/writeCacheFiles.js';

const runDirVariable = 'RECIPEWRIGHT_VITEST_RUN';

/** Called in the main process, because workers inherit the variable. Returns false if this process already has a directory. */
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
    // ESRCH: the process has ended. EPERM: it belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function attemptDir(testId: string, attempt: number): string {
  return join(process.env[runDirVariable] ?? '', testId.replace(/[^\w-]/g, '_'), String(attempt));
}

/** Returns the number and the directory of the next attempt. Each retry and each repetition has its own directory. */
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

/** Returns the root of the project of each document that is a test. The reporter needs it for modules whose worker died. */
export function documentsOfRun(): Map<string, string> {
  const shared = globalThis as SharedDocuments;
  shared[documentsKey] ??= new Map();
  return shared[documentsKey];
}

/** Writes the documents of a package before the first node runs, because a worker that dies cannot write them later. */
export function writeDocuments(artifactsDir: string, loaded: LoadedRecipe): void {
  const texts = new Map([['recipe.json', `${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`]]);
  for (const [path, content] of collectDocuments(loaded)) texts.set(path, bytesOf(content).toString());
  writeTexts(documentsDir(artifactsDir), texts);
}

/** Writes the documents of a run that did not begin, with an empty journal. */
export function writeRefusedDocuments(artifactsDir: string, documents: ReadonlyMap<string, string>): void {
  writeTexts(artifactsDir, new Map([...documents, ['journal.jsonl', '']]));
}

function writeTexts(dir: string, texts: ReadonlyMap<string, string>): void {
  writeCacheFiles(new Map([...texts].map(([path, text]) => [join(dir, path), text])));
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
