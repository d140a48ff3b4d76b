// The command that runs one test again, and nothing else.
import type { TestCase } from 'vitest/node';
import { shellWord } from '../../evidence/shellWord.js';

export function againBy({ module, fullName, project }: TestCase): string {
  const isAlone = [...module.children.allTests()].length === 1;
  const pattern = `^${fullName.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
  return [
    'npx vitest run',
    shellWord(module.relativeModuleId),
    ...(isAlone ? [] : ['-t', shellWord(pattern)]),
    ...(project.name ? [shellWord(`--project=${project.name}`)] : []),
  ].join(' ');
}
