// Adds the reporters of recipes to those of a run, and decides whether Vitest's stdout is machine-readable.
import type { DocumentModules } from './documentModules.js';
import { DeadWorkerReporter } from './reportDeadWorkers.js';

/** As resolved by Vitest: `[name, options]`, or the reporter itself. */
export type Reporters = unknown[];

const reporterName = 'recipewright/vitest/reporter';

/** `configured`: the `reporters` of the config, which the command line may have replaced. */
export function placeReporters(reporters: Reporters, configured: unknown, documents: DocumentModules): void {
  const deadWorkerReporter =
    reporters.find((reporter) => reporter instanceof DeadWorkerReporter) ?? addReporters(reporters, configured);
  deadWorkerReporter.expectDocuments(documents);
}

function addReporters(reporters: Reporters, configured: unknown): DeadWorkerReporter {
  const isBlob = reporters.some((reporter) => readReporterName(reporter) === 'blob');
  // A run that writes a blob writes no packages. The run that merges the blobs writes them.
  if (!isBlob && !reporters.some((reporter) => readReporterName(reporter) === reporterName))
    reporters.push(findReporterEntry(configured));
  const deadWorkerReporter = new DeadWorkerReporter(isBlob);
  reporters.unshift(deadWorkerReporter);
  return deadWorkerReporter;
}

/** Returns the option `outputDir` of our reporter in the config. */
export function configuredOutputDir(configured: unknown): string | undefined {
  const [, { outputDir }] = findReporterEntry(configured) as [string, { outputDir?: unknown }];
  return typeof outputDir === 'string' ? outputDir : undefined;
}

function readReporterName(reporter: unknown): unknown {
  return Array.isArray(reporter) ? reporter[0] : reporter;
}

function findReporterEntry(configured: unknown): unknown[] {
  const entry = (Array.isArray(configured) ? configured : [configured]).find(
    (reporter) => readReporterName(reporter) === reporterName,
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

/** Whether stdout is machine-readable. True if no known reporter writes for people, because unknown ones may write for programs. */
export function isStdoutForMachines({ reporters, outputFile }: { reporters: readonly unknown[]; outputFile?: unknown }): boolean {
  const entries = reporters.map((reporter) => (Array.isArray(reporter) ? reporter : [reporter])) as [unknown, unknown?][];
  const names = entries.map(([name]) => name).filter((name) => typeof name === 'string');
  const onStdout = entries.filter(([name, options]) => {
    const file =
      toFields(options).outputFile ?? (typeof outputFile === 'string' ? outputFile : toFields(outputFile)[String(name)]);
    return typeof name === 'string' && reportersForMachines.has(name) && file === undefined;
  });
  return onStdout.length > 0 || !names.some((name) => reportersForPeople.has(name));
}

function toFields(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}
