// Builds the command that runs one test again, and no other test.
import { relative, sep } from 'node:path';
import type { TestCase } from 'vitest/node';
import { quoteShellWord } from '../../evidence/escapeText.js';

/** `files`: all test files of the run. The command must match only the file of the test. */
export function rerunCommand({ module, fullName, project }: TestCase, files: readonly string[]): string {
  const isAlone = [...module.children.allTests()].length === 1;
  const path = module.relativeModuleId;
  // Vitest runs every file whose path contains the filter, and ignores case.
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
