// Writes files that can be made again at any time. Readers see whole files, but nothing waits for the disk.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Each file gets its name when it is complete, because another process may read it already. */
export function writeCacheFiles(files: ReadonlyMap<string, string>): void {
  for (const folder of new Set([...files.keys()].map((file) => dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) {
    const partial = `${file}.${process.pid}.partial`;
    writeFileSync(partial, text);
    renameSync(partial, file);
  }
}

/** Refuses a directory that is not in a cache of recipewright. */
export function removeCacheDirectory(dir: string): void {
  if (!/[\\/]\.cache[\\/]recipewright[\\/]/.test(dir))
    throw new Error(`${dir} is no directory of recipewright's cache, so it is not removed.`);
  rmSync(dir, { recursive: true, force: true });
}
