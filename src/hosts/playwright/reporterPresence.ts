// Decides which process writes the packages of a run: Playwright's main process with the recipe reporter, a merge of blobs, or each worker.
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FullConfig, PlaywrightTestConfig, ReporterDescription } from '@playwright/test';
import { resolveOutputDir } from '../shared/outputDirs.js';
import { readCommand, readReporterSelection } from './internals/commandLine.js';

const reporterName = 'recipewright/playwright/reporter';

/** The reporter sets this variable to the id of its process before any worker starts. Workers inherit it. */
const reporterVariable = 'RECIPEWRIGHT_REPORTER_PID';

/** This variable holds the id of the process that loaded the config, and its Playwright command. */
const commandVariable = 'RECIPEWRIGHT_PLAYWRIGHT_COMMAND';

export function announceReporter(): void {
  process.env[reporterVariable] = String(process.pid);
}

/** Called when a run ends: a test server runs tests many times in one process, and not always with the same reporters. */
export function forgetReporter(): void {
  delete process.env[reporterVariable];
}

/** Passes the command to the workers of this process, which do not know its command line. */
export function announceCommand(): void {
  process.env[commandVariable] = `${process.pid} ${readCommand()}`;
}

/**
 * Whether a reporter or a merge writes the packages of this worker. The config alone does not decide, because a test server may drop its reporters.
 * A variable that is inherited from another run contains a process id other than that of this worker's parent.
 */
export function arePackagesWrittenElsewhere({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  if (process.env[reporterVariable] === String(process.ppid)) return true;
  return reporter.some(([name]) => name === 'blob') && !isRunByTestServer();
}

/** Whether a test server started this worker. Only the command `playwright test` always uses the reporters of the config. */
function isRunByTestServer(): boolean {
  const [pid, command] = (process.env[commandVariable] ?? '').split(' ');
  return pid === String(process.ppid) && command !== 'test';
}

let configReporters: readonly ReporterDescription[] = [];

/** Stores the reporters of the config, which the command line may replace. */
function rememberReporters(reporters: readonly ReporterDescription[]): void {
  configReporters = reporters;
}

/** Returns the reporters of the command line, or else those of the loaded config. */
export function findRequestedReporters(): readonly ReporterDescription[] {
  return readReporterSelection().replacing?.map((name) => [name]) ?? configReporters;
}

/** Whether one of the reporters writes a blob, even if another reporter writes the packages. */
export function isBlobRequested(): boolean {
  return readReporterSelection().added.includes('blob') || findRequestedReporters().some(([name]) => name === 'blob');
}

/** Returns the output directory of the recipe reporter in the config. */
export async function findConfiguredOutputDir(config: Pick<FullConfig, 'reporter' | 'configFile' | 'rootDir'>): Promise<string> {
  const configDir = config.configFile === undefined ? config.rootDir : dirname(config.configFile);
  const reporters = [...config.reporter, ...configReporters];
  const ownReporter = findOwnReporter(reporters) ?? findOwnReporter(await importConfigReporters(config.configFile));
  return resolveOutputDir(configDir, (ownReporter?.[1] as { outputDir?: string } | undefined)?.outputDir);
}

function findOwnReporter(reporters: readonly ReporterDescription[]): ReporterDescription | undefined {
  return reporters.find(([name]) => isOwnReporter(name));
}

export function isOwnReporter(name: string): boolean {
  return name.includes(reporterName) || /playwright-reporter\.c?js$/.test(name);
}

/** Reads the reporters from the module of the config. Playwright drops them when the command line names reporters. */
async function importConfigReporters(configFile: string | undefined): Promise<ReporterDescription[]> {
  if (configFile === undefined || configReporters.length > 0) return [];
  try {
    const loaded = (await import(pathToFileURL(configFile).href)) as {
      default?: PlaywrightTestConfig | { default?: PlaywrightTestConfig };
    };
    const outer = loaded.default;
    const config = outer && 'default' in outer ? outer.default : (outer as PlaywrightTestConfig | undefined);
    return Array.isArray(config?.reporter) ? [...config.reporter] : [];
  } catch {
    // ERR_UNKNOWN_FILE_EXTENSION, SyntaxError: Node cannot load this config, so the output directory is the default one.
    return [];
  }
}

type Reporters = PlaywrightTestConfig['reporter'];

/** Adds the reporter that writes packages, unless the config has that reporter, or has the blob reporter: a merge then writes the packages. */
export function addRecipeReporter(configured: Reporters): Reporters {
  const reporters = listReporters(configured);
  rememberReporters(reporters);
  return reporters.some(([name]) => name === 'blob' || isOwnReporter(name)) ? configured : [...reporters, [reporterName]];
}

/** Returns the option "outputDir" of the recipe reporter, if the config sets it. */
export function findOutputDirOption(configured: Reporters): string | undefined {
  return findOwnReporter(listReporters(configured))?.[1]?.outputDir as string | undefined;
}

// Without reporters, Playwright uses these defaults.
function listReporters(configured: Reporters): ReporterDescription[] {
  if (configured === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof configured === 'string' ? [[configured]] : [...configured];
}
