// The command that runs one test again, and nothing else.
import { relative, sep } from 'node:path';
import type { TestCase } from 'vitest/node';
import { quoteShellWord } from '../../evidence/escapeText.js';

/** `files`: all of the run, among which the command has to mean this one alone. */
export function rerunCommand({ module, fullName, project }: TestCase, files: readonly string[]): string {
  const isAlone = [...module.children.allTests()].length === 1;
  const path = module.relativeModuleId;
  // To Vitest a part of a path is enough, in small letters or in large ones.
  const others = files
    .filter((file) => file !== module.moduleId)
    .map((file) => relative(project.config.root, file).split(sep).join('/'))
    .filter((file) => file.toLowerCase().includes(path.toLowerCase()));
  return [
    'npx vitest run',
    quoteShellWord(path),
    ...(isAlone ? [] : ['-t', quoteShellWord(`^${escapeSpecial(fullName)}$`)]),
    ...(project.name ? [quoteShellWord(`--project=${project.name}`)] : []),
    ...[...new Set(others)].map((file) => quoteShellWord(`--exclude=${escapeSpecial(file, /[\\*?()[\]{}!+@]/g)}`)),
  ].join(' ');
}

function escapeSpecial(text: string, special = /[\\^$.*+?()[\]{}|]/g): string {
  return text.replaceAll(special, '\\$&');
}
