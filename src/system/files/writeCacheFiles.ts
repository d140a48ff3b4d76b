// Files that can be made again at any time: whole for whoever reads them, but not waited for until they are on the disk.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder is made once, and each file appears under its name when it is whole: another process may read it already. */
export function writeCacheFiles(files: ReadonlyMap<string, string>): void {
  for (const folder of new Set([...files.keys()].map((file) => dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) {
    const partial = `${file}.${process.pid}.partial`;
    writeFileSync(partial, text);
    renameSync(partial, file);
  }
}

/** For folders that only this program writes to, below its own cache. */
export function removeCacheDirectory(dir: string): void {
  if (!/[\\/]\.cache[\\/]recipewright[\\/]/.test(dir)) throw new Error(`${dir} is no folder of recipewright's cache.`);
  rmSync(dir, { recursive: true, force: true });
}
