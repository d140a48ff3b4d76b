// Writes files that can be generated again at any time. Readers see whole files, but a write does not wait for the disk.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Renames each file to its name when it is complete, because another process may read it at the same time. */
export function writeCacheFiles(files: ReadonlyMap<string, string>): void {
  for (const folder of new Set([...files.keys()].map((file) => dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) {
    const partial = `${file}.${process.pid}.partial`;
    writeFileSync(partial, text);
    renameSync(partial, file);
  }
}

/** Throws for a directory that is not in a cache of recipewright. */
export function removeCacheDirectory(dir: string): void {
  if (!/[\\/]\.cache[\\/]recipewright[\\/]/.test(dir))
    throw new Error(`${dir} is not in a cache directory of recipewright, so it is not removed.`);
  rmSync(dir, { recursive: true, force: true });
}
