// The documents of a package, written before the first node runs: a worker that dies writes nothing any more.
import { join } from 'node:path';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { collectDocuments } from '../../run/packageDocuments.js';
import { listFilesBelow, readBytesIfThere } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';

export function keepDocuments(artifactsDir: string, loaded: LoadedRecipe): void {
  const texts = [...collectDocuments(loaded)].map(([path, content]) => [path, bytesOf(content).toString()] as const);
  const recipe = `${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`;
  writeCacheFiles(
    new Map([['recipe.json', recipe] as const, ...texts].map(([path, text]) => [join(besides(artifactsDir), path), text])),
  );
}

/** Of a run that did not begin; its journal is empty. */
export function keepRefused(artifactsDir: string, documents: ReadonlyMap<string, string>): void {
  writeCacheFiles(
    new Map([...documents, ['journal.jsonl', ''] as const].map(([path, text]) => [join(artifactsDir, path), text])),
  );
}

export function keptNames(artifactsDir: string): string[] {
  return listFilesBelow(besides(artifactsDir));
}

export function keptBytes(artifactsDir: string, name: string): Buffer | undefined {
  return readBytesIfThere(join(besides(artifactsDir), name));
}

function besides(artifactsDir: string): string {
  return `${artifactsDir}-documents`;
}
