// Whatever reporters a run is asked for: the recipes of a worker that died are failures in each, and their packages are written.
import { FirstWord } from './firstWord.js';

/** As Vitest has resolved them: `[name, options]`, or the reporter itself. */
export type Reporters = unknown[];

const ours = 'recipewright/vitest/reporter';

/** `given` is what the config names; the command line replaces it. */
export function placeReporters(reporters: Reporters, given: unknown): void {
  if (reporters.some((reporter) => reporter instanceof FirstWord)) return;
  const isBlob = reporters.some((reporter) => nameOf(reporter) === 'blob');
  // The packages of a blob are written by whoever merges it.
  if (!isBlob && !reporters.some((reporter) => nameOf(reporter) === ours)) reporters.push(asGiven(given));
  reporters.unshift(new FirstWord(isBlob));
}

function nameOf(reporter: unknown): unknown {
  return Array.isArray(reporter) ? reporter[0] : reporter;
}

function asGiven(given: unknown): unknown[] {
  const entry = (Array.isArray(given) ? given : [given]).find((reporter) => nameOf(reporter) === ours);
  return Array.isArray(entry) ? [ours, entry[1] ?? {}] : [ours, {}];
}
