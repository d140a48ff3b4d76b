import { linkSync } from 'node:fs';

/** A second name for a file, on the same disk: what is written under the one is read under the other. */
export function linkFile(file: string, name: string): void {
  linkSync(file, name);
}
