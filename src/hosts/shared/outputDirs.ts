// Where the last run of a config wrote its packages: the next one can say that those are not known any more before its config is read.
import { dirname, join, relative, resolve } from 'node:path';
import { readBytesIfThere, writeIfDifferent } from '../../system/files/files.js';
import { findProjectRoot } from '../../system/project.js';

const outputDirVariable = 'RECIPEWRIGHT_OUTPUT_DIR';

/** Where packages go, by the environment or an option that is relative to `home`. */
export function resolveOutputDir(home: string, option = 'recipe-results'): string {
  const fromEnvironment = process.env[outputDirVariable];
  return fromEnvironment ? resolve(fromEnvironment) : resolve(home, option);
}

/** A directory that the environment names is of this one run. */
export function rememberOutputDir(configFile: string, outputDir: string): void {
  if (process.env[outputDirVariable]) return;
  try {
    writeIfDifferent(findMemoryFile(configFile), `${JSON.stringify({ outputDir })}\n`);
  } catch {
    // EROFS, EACCES, ENOSPC: the next run begins its index a little later.
  }
}

/** The directories that a run of this config is likely to write to, as long as it did not say. `home`: where the usual one is. */
export function listLikelyOutputDirs(configFile: string, home: string = dirname(configFile)): string[] {
  if (process.env[outputDirVariable]) return [resolve(process.env[outputDirVariable])];
  const remembered = readRememberedDir(configFile);
  return [...(remembered === undefined ? [] : [remembered]), resolveOutputDir(home)];
}

function readRememberedDir(configFile: string): string | undefined {
  try {
    const { outputDir } = JSON.parse(readBytesIfThere(findMemoryFile(configFile))?.toString() ?? '{}') as { outputDir?: unknown };
    return typeof outputDir === 'string' ? outputDir : undefined;
  } catch {
    // SyntaxError, EACCES: as if it were not there.
    return undefined;
  }
}

function findMemoryFile(configFile: string): string {
  const home = findProjectRoot(configFile);
  const key = relative(home, configFile).replace(/[^\w.-]/g, '_');
  return join(home, 'node_modules', '.cache', 'recipewright', `${key}.output.json`);
}
