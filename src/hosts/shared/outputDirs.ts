// Stores the output directory of a config, so that the next run can mark its packages as unknown before the config is read.
import { dirname, join, relative, resolve } from 'node:path';
import { readBytesIfThere, writeIfDifferent } from '../../system/files/files.js';
import { findProjectRoot } from '../../system/project.js';

const outputDirVariable = 'RECIPEWRIGHT_OUTPUT_DIR';

/** Returns the output directory: from the environment, or from `option`, which is relative to `home`. */
export function resolveOutputDir(home: string, option = 'recipe-results'): string {
  const fromEnvironment = process.env[outputDirVariable];
  return fromEnvironment ? resolve(fromEnvironment) : resolve(home, option);
}

/** Stores the output directory for the next run, unless the environment sets a directory for this run only. */
export function rememberOutputDir(configFile: string, outputDir: string): void {
  if (process.env[outputDirVariable]) return;
  try {
    writeIfDifferent(findMemoryFile(configFile), `${JSON.stringify({ outputDir })}\n`);
  } catch {
    // EROFS, EACCES, ENOSPC: the next run marks the packages a little later.
  }
}

/** Lists the directories that a run of this config probably writes to, before the config is read. `home`: the parent of the default directory. */
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
    // SyntaxError, EACCES: the file is treated as missing.
    return undefined;
  }
}

function findMemoryFile(configFile: string): string {
  const home = findProjectRoot(configFile);
  const key = relative(home, configFile).replace(/[^\w.-]/g, '_');
  return join(home, 'node_modules', '.cache', 'recipewright', `${key}.output.json`);
}
