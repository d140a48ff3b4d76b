// The documents that a command line means: files by name, whole directories, globs.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { findFiles, kindOf } from '../system/files.js';
import { UsageError } from './usage.js';

const endings = ['*.recipe.json', '*.flows.json', '*.template.json', '*.template.md', '*.runtime.json', '*.flowspec.json'];
const load = createRequire(import.meta.url);

/** Absolute, each once, in the order they are named. A file that is not there is named too: that is a finding, not a slip. */
export function filesNamed(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => filesOf(String(name))))];
}

function filesOf(name: string): string[] {
  const path = resolve(name);
  const kind = kindOf(path);
  if (kind === 'directory')
    return needSome(
      findFiles(
        path,
        endings.map((ending) => `**/${ending}`),
        load,
      ),
      `The directory ${name} holds`,
    );
  if (kind !== undefined || !/[*?{}[\]!]/.test(name)) return [path];
  return needSome(findFiles(join(process.cwd()), [name], load), `The pattern ${JSON.stringify(name)} matches`);
}

function needSome(files: string[], what: string): string[] {
  if (files.length === 0) throw new UsageError(`${what} no document. Recipes are found as ${endings.join(' and ')}.`);
  return files;
}
