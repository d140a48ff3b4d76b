// Decides who writes the packages of a run: the recipe reporter in Playwright's main process, a merge of blobs, or the worker itself.
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FullConfig, PlaywrightTestConfig, ReporterDescription } from '@playwright/test';
import { resolveOutputDir } from '../shared/outputDirs.js';
import { readCommand, readReporterSelection } from './internals/commandLine.js';

const reporterName = 'recipewright/playwright/reporter';

/** The reporter sets it to the id of its process before any worker starts. Workers inherit it. */
const reporterVariable = 'RECIPEWRIGHT_REPORTER_PID';

/** The id of the process that loaded the config, and its Playwright command. */
const commandVariable = 'RECIPEWRIGHT_PLAYWRIGHT_COMMAND';

export function announceReporter(): void {
  process.env[reporterVariable] = String(process.pid);
}

/** A test server runs tests many times in one process, and not always with the same reporters. */
export function withdrawReporter(): void {
  delete process.env[reporterVariable];
}

/** For the workers of this process, which do not know its command line. */
export function announceCommand(): void {
  process.env[commandVariable] = `${process.pid} ${readCommand()}`;
}

/**
 * Whether a worker leaves the packages to a reporter or a merge. The config does not tell, because a test server may drop its reporters.
 * A variable that was inherited from another run names another process than the parent of this worker.
 */
export function arePackagesWrittenElsewhere({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  if (process.env[reporterVariable] === String(process.ppid)) return true;
  return reporter.some(([name]) => name === 'blob') && !isRunByTestServer();
}

/** Only the command `playwright test` always keeps the reporters of the config. */
function isRunByTestServer(): boolean {
  const [pid, command] = (process.env[commandVariable] ?? '').split(' ');
  return pid === String(process.ppid) && command !== 'test';
}

let configReporters: readonly ReporterDescription[] = [];

/** The reporters of the config, before the command line replaces them. */
function rememberReporters(reporters: readonly ReporterDescription[]): void {
  configReporters = reporters;
}

/** The reporters of the command line, else those of the config that was loaded. */
export function findRequestedReporters(): readonly ReporterDescription[] {
  return readReporterSelection().replacing?.map((name) => [name]) ?? configReporters;
}

/** Whether one of the reporters writes a blob, also when others write the packages. */
export function isBlobRequested(): boolean {
  return readReporterSelection().added.includes('blob') || findRequestedReporters().some(([name]) => name === 'blob');
}

/** The output directory of the reporter that the config names. */
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
  return name.includes(reporterName) || name.endsWith('playwright-reporter.js');
}

/** If the command line names reporters, Playwright drops those of the config, so they are read from its module, which is loaded already. */
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
    // ERR_UNKNOWN_FILE_EXTENSION, SyntaxError: Node cannot load this config, so the directory is the default one.
    return [];
  }
}

type Reporters = PlaywrightTestConfig['reporter'];

/** Adds the reporter that writes packages, unless the config has it, or a blob from which a merge writes them. */
export function addRecipeReporter(configured: Reporters): Reporters {
  const reporters = listReporters(configured);
  rememberReporters(reporters);
  return reporters.some(([name]) => name === 'blob' || isOwnReporter(name)) ? configured : [...reporters, [reporterName]];
}

/** The option "outputDir" of the recipe reporter, if the config has both. */
export function findOutputDirOption(configured: Reporters): string | undefined {
  return findOwnReporter(listReporters(configured))?.[1]?.outputDir as string | undefined;
}

// Without reporters, Playwright uses these defaults.
function listReporters(configured: Reporters): ReporterDescription[] {
  if (configured === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof configured === 'string' ? [[configured]] : [...configured];
}
