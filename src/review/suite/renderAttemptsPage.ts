// The tries of one recipe side by side: each earlier one against the last.
import { dirname, join } from 'node:path';
import { claimDirectory, readPathKind, resolveInside, writeFileAtomically } from '../../system/files/files.js';
import type { findTrustProblem } from '../../verify/packageTrust.js';
import { compareRun, summarizeRuns } from '../compare/comparePackages.js';
import { comparePage } from '../compare/comparePage.js';

/** Into a directory of its own beside the tries. */
export function writeAttemptsPage(outputDir: string, name: string, earlier: number): void {
  const page = renderAttemptsPage(outputDir, name, { earlier });
  if (page === undefined) return;
  const file = join(outputDir, attemptsPageFile(name));
  claimDirectory(dirname(file));
  writeFileAtomically(file, page, { isFlushed: false });
}

/** Where it lies in the output directory. */
export function attemptsPageFile(name: string): string {
  return `.attempts/${name}/compare/index.html`;
}

/** `doubted`: for tries that were not just written. */
type AttemptsPageOptions = { earlier: number; findDoubt?: typeof findTrustProblem };

/** A try that left no package is left out. */
export function renderAttemptsPage(
  outputDir: string,
  name: string,
  { earlier, findDoubt }: AttemptsPageOptions,
): string | undefined {
  const last = join(outputDir, name);
  const tries = Array.from({ length: earlier }, (_, index): [string, string] => [
    `Try ${index + 1} and the last`,
    join(outputDir, '.attempts', name, String(index)),
  ]);
  const triesWithPackage = new Map(tries.filter(([, place]) => hasPackage(place)));
  if (triesWithPackage.size === 0 || !hasPackage(last)) return undefined;
  const comparison = summarizeRuns([...triesWithPackage].map(([words, place]) => compareRun(words, place, last, findDoubt)));
  const findPair = (words: string): { before: string; after: string } => ({
    before: triesWithPackage.get(words) ?? last,
    after: last,
  });
  return comparePage({ title: `Tries of ${name}`, comparison, findPair });
}

/** How many tries of a recipe lie there. */
export function countTries(outputDir: string, name: string): number {
  let count = 0;
  for (let dir = tryDir(outputDir, name, 0); dir !== undefined && hasPackage(dir); dir = tryDir(outputDir, name, count)) count++;
  return count;
}

function tryDir(outputDir: string, name: string, index: number): string | undefined {
  return resolveInside(outputDir, `.attempts/${name}/${index}`);
}

function hasPackage(dir: string): boolean {
  return readPathKind(join(dir, 'summary.json')) === 'file';
}
