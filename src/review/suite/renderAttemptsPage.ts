// Compares each earlier try of a recipe with the last try.
import { dirname, join } from 'node:path';
import { claimDirectory, readPathKind, resolveInside, writeFileAtomically } from '../../system/files/files.js';
import type { findTrustProblem } from '../../verify/packageTrust.js';
import { compareRun, summarizeRuns } from '../compare/comparePackages.js';
import { comparePage } from '../compare/comparePage.js';

/** Writes the page into a directory beside the directories of the tries. */
export function writeAttemptsPage(outputDir: string, name: string, earlier: number): void {
  const page = renderAttemptsPage(outputDir, name, { earlier });
  if (page === undefined) return;
  const file = join(outputDir, attemptsPageFile(name));
  claimDirectory(dirname(file));
  writeFileAtomically(file, page, { isFlushed: false });
}

/** Returns the path of the page below the output directory. */
export function attemptsPageFile(name: string): string {
  return `.attempts/${name}/compare/index.html`;
}

/** Leave out `findTrustProblem` for packages that this process has just written. */
type AttemptsPageOptions = { earlier: number; findTrustProblem?: typeof findTrustProblem };

/** Leaves out tries without a package. Returns undefined when fewer than two tries have one. */
export function renderAttemptsPage(
  outputDir: string,
  name: string,
  { earlier, findTrustProblem }: AttemptsPageOptions,
): string | undefined {
  const last = join(outputDir, name);
  const tries = Array.from({ length: earlier }, (_, index): [string, string] => [
    `Try ${index + 1} and the last`,
    join(outputDir, '.attempts', name, String(index)),
  ]);
  const triesWithPackage = new Map(tries.filter(([, dir]) => hasPackage(dir)));
  if (triesWithPackage.size === 0 || !hasPackage(last)) return undefined;
  const comparison = summarizeRuns([...triesWithPackage].map(([title, dir]) => compareRun(title, dir, last, findTrustProblem)));
  const findPair = (title: string): { before: string; after: string } => ({
    before: triesWithPackage.get(title) ?? last,
    after: last,
  });
  return comparePage({ title: `Tries of ${name}`, comparison, findPair });
}

/** Counts the earlier tries of a recipe in the output directory. */
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
