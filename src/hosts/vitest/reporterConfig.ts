// Whatever reporters a run is asked for: the recipes of a worker that died are failures in each, and their packages are written.
import type { DocumentModules } from './documentModules.js';
import { DeadWorkerReporter } from './reportDeadWorkers.js';

/** As Vitest has resolved them: `[name, options]`, or the reporter itself. */
export type Reporters = unknown[];

const reporterName = 'recipewright/vitest/reporter';

/** `given` is what the config names; the command line replaces it. */
export function placeReporters(reporters: Reporters, configured: unknown, documents: DocumentModules): void {
  const deadWorkerReporter =
    reporters.find((reporter) => reporter instanceof DeadWorkerReporter) ?? addDeadWorkerReporter(reporters, configured);
  deadWorkerReporter.expectDocuments(documents);
}

function addDeadWorkerReporter(reporters: Reporters, configured: unknown): DeadWorkerReporter {
  const isBlob = reporters.some((reporter) => reporterNameOf(reporter) === 'blob');
  // The packages of a blob are written by whoever merges it.
  if (!isBlob && !reporters.some((reporter) => reporterNameOf(reporter) === reporterName))
    reporters.push(configuredEntry(configured));
  const deadWorkerReporter = new DeadWorkerReporter(isBlob);
  reporters.unshift(deadWorkerReporter);
  return deadWorkerReporter;
}

/** Where the packages go, if the config says so. */
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

// Who reads what Vitest writes to stdout.

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

/** As Vitest has resolved them: a reporter is `[name, options]`, or the reporter itself. */
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
