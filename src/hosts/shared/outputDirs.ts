// Where the last run of a config wrote its packages: the next one can say that those are not known any more before its config is read.
import { dirname, join, relative, resolve } from 'node:path';
import { readBytesIfThere, writeIfDifferent } from '../../system/files/files.js';
import { findProjectRoot } from '../../system/project.js';

const variable = 'RECIPEWRIGHT_OUTPUT_DIR';

/** Where packages go, by the environment or an option that is relative to `home`. */
export function outputDirOf(home: string, option = 'recipe-results'): string {
  const named = process.env[variable];
  return named ? resolve(named) : resolve(home, option);
}

/** A directory that the environment names is of this one run. */
export function rememberOutputDir(configFile: string, outputDir: string): void {
  if (process.env[variable]) return;
  try {
    writeIfDifferent(memoryOf(configFile), `${JSON.stringify({ outputDir })}\n`);
  } catch {
    // EROFS, EACCES, ENOSPC: the next run begins its index a little later.
  }
}

/** The directories that a run of this config is likely to write to, as long as it did not say. `home`: where the usual one is. */
export function likelyOutputDirs(configFile: string, home: string = dirname(configFile)): string[] {
  if (process.env[variable]) return [resolve(process.env[variable])];
  const remembered = rememberedDir(configFile);
  return [...(remembered === undefined ? [] : [remembered]), outputDirOf(home)];
}

function rememberedDir(configFile: string): string | undefined {
  try {
    const { outputDir } = JSON.parse(readBytesIfThere(memoryOf(configFile))?.toString() ?? '{}') as { outputDir?: unknown };
    return typeof outputDir === 'string' ? outputDir : undefined;
  } catch {
    // SyntaxError, EACCES: as if it were not there.
    return undefined;
  }
}

function memoryOf(configFile: string): string {
  const home = findProjectRoot(configFile);
  const key = relative(home, configFile).replace(/[^\w.-]/g, '_');
  return join(home, 'node_modules', '.cache', 'recipewright', `${key}.output.json`);
}
