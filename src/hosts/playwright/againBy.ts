// The command that runs one test again, and nothing else.
import { relative, sep } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { shellWord } from '../../evidence/shellWord.js';

export function againBy(test: TestCase, configDir: string): string {
  const { file, line } = test.location;
  const place = `${relative(configDir, file).split(sep).join('/')}:${line}`;
  const project = test.parent.project()?.name;
  return ['npx playwright test', shellWord(place), ...(project ? [shellWord(`--project=${project}`)] : [])].join(' ');
}
