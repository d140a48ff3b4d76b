import { sha256 } from '../../system/files/files.js';

/** What the names of all packages of recipes that one native test runs have in common. */
export function nestedMark(testId: string): string {
  return `--${sha256(testId).slice(0, 8)}`;
}
