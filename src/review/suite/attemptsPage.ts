// The tries of one recipe side by side: each earlier one against the last.
import { dirname, join } from 'node:path';
import { claimDirectory, insideOf, kindOf, writeWhole } from '../../system/files.js';
import type { doubtOf } from '../../verify/doubtOf.js';
import { compareRun, inAll } from '../compare/comparePackages.js';
import { comparePage } from '../compare/comparePage.js';

/** Into a directory of its own beside the tries. */
export function writeAttemptsPage(outputDir: string, name: string, earlier: number): void {
  const page = attemptsPage(outputDir, name, { earlier });
  if (page === undefined) return;
  const file = join(outputDir, compareFile(name));
  claimDirectory(dirname(file));
  writeWhole(file, page, { isFlushed: false });
}

/** Where it lies in the output directory. */
export function compareFile(name: string): string {
  return `.attempts/${name}/compare/index.html`;
}

/** `doubted`: for tries that were not just written. */
export type Tries = { earlier: number; doubted?: typeof doubtOf };

/** A try that left no package is left out. */
export function attemptsPage(outputDir: string, name: string, { earlier, doubted }: Tries): string | undefined {
  const last = join(outputDir, name);
  const tries = Array.from({ length: earlier }, (_, index): [string, string] => [
    `Try ${index + 1} and the last`,
    join(outputDir, '.attempts', name, String(index)),
  ]);
  const kept = new Map(tries.filter(([, place]) => hasPackage(place)));
  if (kept.size === 0 || !hasPackage(last)) return undefined;
  const compared = inAll([...kept].map(([words, place]) => compareRun(words, place, last, doubted)));
  const places = (words: string): { before: string; after: string } => ({ before: kept.get(words) ?? last, after: last });
  return comparePage({ title: `Tries of ${name}`, compared, places });
}

/** How many tries of a recipe lie there. */
export function triesOf(outputDir: string, name: string): number {
  let count = 0;
  for (let dir = tryAt(outputDir, name, 0); dir !== undefined && hasPackage(dir); dir = tryAt(outputDir, name, count)) count++;
  return count;
}

function tryAt(outputDir: string, name: string, index: number): string | undefined {
  return insideOf(outputDir, `.attempts/${name}/${index}`);
}

function hasPackage(dir: string): boolean {
  return kindOf(join(dir, 'summary.json')) === 'file';
}
