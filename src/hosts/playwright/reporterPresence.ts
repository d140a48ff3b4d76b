// Who writes the packages of this run: the recipe reporter in Playwright's main process, whoever merges a blob, or the worker itself.
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FullConfig, PlaywrightTestConfig, ReporterDescription } from '@playwright/test';
import { resolveOutputDir } from '../shared/outputDirs.js';
import { readCommand, readReporterSelection } from './internals/commandLine.js';

export const reporterName = 'recipewright/playwright/reporter';

/** The reporter sets it to the id of its process before any worker starts. A worker inherits it from its parent. */
const reporterVariable = 'RECIPEWRIGHT_REPORTER_PID';

/** The process that loaded the config, and the command that it runs. */
const commandVariable = 'RECIPEWRIGHT_PLAYWRIGHT_COMMAND';

export function announceReporter(): void {
  process.env[reporterVariable] = String(process.pid);
}

/** One process may run tests many times: a test server does, and not always with the same reporters. */
export function withdrawReporter(): void {
  delete process.env[reporterVariable];
}

/** For the workers of this process, which cannot see its command line. */
export function announceCommand(): void {
  process.env[commandVariable] = `${process.pid} ${readCommand()}`;
}

/**
 * Whether somebody else writes the packages. The reporters of the config alone do not tell: a test server may have dropped them.
 * An inherited variable of another run names another process than our parent.
 */
export function arePackagesWrittenElsewhere({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  if (process.env[reporterVariable] === String(process.ppid)) return true;
  return reporter.some(([name]) => name === 'blob') && !isTestServer();
}

/** The only command that always keeps the reporters of the config is `playwright test`. */
function isTestServer(): boolean {
  const [pid, command] = (process.env[commandVariable] ?? '').split(' ');
  return pid === String(process.ppid) && command !== 'test';
}

let configReporters: readonly ReporterDescription[] = [];

/** What the config says of reporters, before the command line replaces them. */
export function rememberReporters(reporters: readonly ReporterDescription[]): void {
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

/** The directory that the reporter of this config would use. */
export async function findConfiguredOutputDir(config: Pick<FullConfig, 'reporter' | 'configFile' | 'rootDir'>): Promise<string> {
  const configDir = config.configFile === undefined ? config.rootDir : dirname(config.configFile);
  const reporters = [...config.reporter, ...configReporters];
  const ours = findOwnReporter(reporters) ?? findOwnReporter(await importConfigReporters(config.configFile));
  return resolveOutputDir(configDir, (ours?.[1] as { outputDir?: string } | undefined)?.outputDir);
}

function findOwnReporter(reporters: readonly ReporterDescription[]): ReporterDescription | undefined {
  return reporters.find(([name]) => isOwnReporter(name));
}

export function isOwnReporter(name: string): boolean {
  return name.includes(reporterName) || name.endsWith('playwright-reporter.js');
}

/** Playwright keeps only the reporters of the command line, so the config itself is asked. Its module is loaded already. */
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
    // ERR_UNKNOWN_FILE_EXTENSION, SyntaxError: Node alone cannot read this config. The directory is the usual one then.
    return [];
  }
}

// The reporters of a Playwright config, with the one that writes the packages.

export type Reporters = PlaywrightTestConfig['reporter'];

/** The packages of a blob are written by whoever merges it. */
export function addRecipeReporter(given: Reporters): Reporters {
  const reporters = listReporters(given);
  rememberReporters(reporters);
  return reporters.some(([name]) => name === 'blob' || isOwnReporter(name)) ? given : [...reporters, [reporterName]];
}

/** The option of our reporter in a config, if it is among them. */
export function findOutputDirOption(given: Reporters): string | undefined {
  const own = listReporters(given).find(([name]) => isOwnReporter(name));
  return own?.[1]?.outputDir as string | undefined;
}

// Without any, Playwright takes its own by this rule.
function listReporters(given: Reporters): ReporterDescription[] {
  if (given === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof given === 'string' ? [[given]] : [...given];
}
