// The tries of one recipe side by side: each earlier one against the last.
import { join } from 'node:path';
import { claimDirectory, kindOf, writeWhole } from '../../system/files.js';
import { compareRun, inAll } from '../compare/comparePackages.js';
import { comparePage } from '../compare/comparePage.js';

/** Into a directory of its own beside the tries; one that left no package is left out. */
export function writeAttemptsPage(outputDir: string, name: string, earlier: number): void {
  const dir = join(outputDir, '.attempts', name);
  const last = join(outputDir, name);
  const tries = Array.from({ length: earlier }, (_, index): [string, string] => [
    `Try ${index + 1} and the last`,
    join(dir, String(index)),
  ]);
  const kept = new Map(tries.filter(([, place]) => kindOf(join(place, 'summary.json')) === 'file'));
  if (kept.size === 0) return;
  const compared = inAll([...kept].map(([words, place]) => compareRun(words, place, last)));
  const places = (words: string): { before: string; after: string } => ({ before: kept.get(words) ?? last, after: last });
  claimDirectory(join(dir, 'compare'));
  writeWhole(join(dir, 'compare/index.html'), comparePage({ title: `Tries of ${name}`, compared, places }));
}
