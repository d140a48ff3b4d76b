import { rmSync } from 'node:fs';

/** Removes a file, or the link in its place; nothing happens when there is none. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}
