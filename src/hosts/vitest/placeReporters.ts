// Whatever reporters a run is asked for: the recipes of a worker that died are failures in each, and their packages are written.
import type { DocumentModules } from './documentModules.js';
import { FirstWord } from './firstWord.js';

/** As Vitest has resolved them: `[name, options]`, or the reporter itself. */
export type Reporters = unknown[];

const ours = 'recipewright/vitest/reporter';

/** `given` is what the config names; the command line replaces it. */
export function placeReporters(reporters: Reporters, given: unknown, documents: DocumentModules): void {
  const first = reporters.find((reporter) => reporter instanceof FirstWord) ?? placeFirst(reporters, given);
  first.expect(documents);
}

function placeFirst(reporters: Reporters, given: unknown): FirstWord {
  const isBlob = reporters.some((reporter) => nameOf(reporter) === 'blob');
  // The packages of a blob are written by whoever merges it.
  if (!isBlob && !reporters.some((reporter) => nameOf(reporter) === ours)) reporters.push(asGiven(given));
  const first = new FirstWord(isBlob);
  reporters.unshift(first);
  return first;
}

/** Where the packages go, if the config says so. */
export function outputDirOf(given: unknown): string | undefined {
  const [, { outputDir }] = asGiven(given) as [string, { outputDir?: unknown }];
  return typeof outputDir === 'string' ? outputDir : undefined;
}

function nameOf(reporter: unknown): unknown {
  return Array.isArray(reporter) ? reporter[0] : reporter;
}

function asGiven(given: unknown): unknown[] {
  const entry = (Array.isArray(given) ? given : [given]).find((reporter) => nameOf(reporter) === ours);
  return Array.isArray(entry) ? [ours, entry[1] ?? {}] : [ours, {}];
}
