// The command that runs one test again, and nothing else.
import { relative, sep } from 'node:path';
import type { TestCase } from 'vitest/node';
import { shellWord } from '../../evidence/shellWord.js';

/** `files`: all of the run, among which the command has to mean this one alone. */
export function againBy({ module, fullName, project }: TestCase, files: readonly string[]): string {
  const isAlone = [...module.children.allTests()].length === 1;
  const path = module.relativeModuleId;
  // To Vitest a part of a path is enough, in small letters or in large ones.
  const others = files
    .filter((file) => file !== module.moduleId)
    .map((file) => relative(project.config.root, file).split(sep).join('/'))
    .filter((file) => file.toLowerCase().includes(path.toLowerCase()));
  return [
    'npx vitest run',
    shellWord(path),
    ...(isAlone ? [] : ['-t', shellWord(`^${escaped(fullName)}$`)]),
    ...(project.name ? [shellWord(`--project=${project.name}`)] : []),
    ...[...new Set(others)].map((file) => shellWord(`--exclude=${escaped(file, /[\\*?()[\]{}!+@]/g)}`)),
  ].join(' ');
}

function escaped(text: string, special = /[\\^$.*+?()[\]{}|]/g): string {
  return text.replaceAll(special, '\\$&');
}
