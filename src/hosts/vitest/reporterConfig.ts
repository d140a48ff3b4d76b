// Adds the reporters of recipes to those of a run, and tells who reads what Vitest writes to stdout.
import type { DocumentModules } from './documentModules.js';
import { DeadWorkerReporter } from './reportDeadWorkers.js';

/** As resolved by Vitest: `[name, options]`, or the reporter itself. */
export type Reporters = unknown[];

const reporterName = 'recipewright/vitest/reporter';

/** `configured`: `reporters` of the config, which those of the command line replace. */
export function placeReporters(reporters: Reporters, configured: unknown, documents: DocumentModules): void {
  const deadWorkerReporter =
    reporters.find((reporter) => reporter instanceof DeadWorkerReporter) ?? addReporters(reporters, configured);
  deadWorkerReporter.expectDocuments(documents);
}

function addReporters(reporters: Reporters, configured: unknown): DeadWorkerReporter {
  const isBlob = reporters.some((reporter) => reporterNameOf(reporter) === 'blob');
  // A run with a blob writes no packages; the run that merges the blobs does.
  if (!isBlob && !reporters.some((reporter) => reporterNameOf(reporter) === reporterName))
    reporters.push(configuredEntry(configured));
  const deadWorkerReporter = new DeadWorkerReporter(isBlob);
  reporters.unshift(deadWorkerReporter);
  return deadWorkerReporter;
}

/** The option `outputDir` of our reporter in the config. */
export function configuredOutputDir(configured: unknown): string | undefined {
  const [, { outputDir }] = configuredEntry(configured) as [string, { outputDir?: unknown }];
  return typeof outputDir === 'string' ? outputDir : undefined;
}

function reporterNameOf(reporter: unknown): unknown {
  return Array.isArray(reporter) ? reporter[0] : reporter;
}

function configuredEntry(configured: unknown): unknown[] {
  const entry = (Array.isArray(configured) ? configured : [configured]).find(
    (reporter) => reporterNameOf(reporter) === reporterName,
  );
  return Array.isArray(entry) ? [reporterName, entry[1] ?? {}] : [reporterName, {}];
}

const reportersForPeople = new Set([
  'default',
  'basic',
  'verbose',
  'dot',
  'tree',
  'minimal',
  'agent',
  'github-actions',
  'hanging-process',
]);
const reportersForMachines = new Set(['json', 'junit', 'tap', 'tap-flat']);

/** Also true when no known reporter writes for people, because the unknown ones may write for a program. */
export function isStdoutForMachines({ reporters, outputFile }: { reporters: readonly unknown[]; outputFile?: unknown }): boolean {
  const entries = reporters.map((reporter) => (Array.isArray(reporter) ? reporter : [reporter])) as [unknown, unknown?][];
  const names = entries.map(([name]) => name).filter((name) => typeof name === 'string');
  const onStdout = entries.filter(([name, options]) => {
    const file =
      fieldsOf(options).outputFile ?? (typeof outputFile === 'string' ? outputFile : fieldsOf(outputFile)[String(name)]);
    return typeof name === 'string' && reportersForMachines.has(name) && file === undefined;
  });
  return onStdout.length > 0 || !names.some((name) => reportersForPeople.has(name));
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}
