// Files that can be made again at any time: whole for whoever reads them, but not waited for until they are on the disk.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder is made once, and each file appears under its name when it is whole: another process may read it already. */
export function writeBriefly(files: ReadonlyMap<string, string>): void {
  for (const folder of new Set([...files.keys()].map((file) => dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) {
    const partial = `${file}.${process.pid}.partial`;
    writeFileSync(partial, text);
    renameSync(partial, file);
  }
}
