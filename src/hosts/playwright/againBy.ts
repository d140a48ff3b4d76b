// The command that runs one test again, and nothing else.
import { relative, sep } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { quoteShellWord } from '../../evidence/escapeText.js';

/** `beside`: all tests of the run, among which the command has to mean this one alone. */
export function againBy(test: TestCase, configDir: string, beside: readonly TestCase[]): string {
  const path = relative(configDir, test.location.file).split(sep).join('/');
  // Playwright takes a path for a pattern that may fit anywhere, in small letters and in large ones.
  const pattern = /^[\w./ -]+$/.test(path) ? path : escaped(path);
  const project = test.parent.project()?.name;
  return [
    'npx playwright test',
    quoteShellWord(`${pattern}:${test.location.line}`),
    ...(project ? [quoteShellWord(`--project=${project}`)] : []),
    ...(fitsAnother(test, pattern, beside) ? ['-g', quoteShellWord(titlePattern(test))] : []),
  ].join(' ');
}

function fitsAnother(test: TestCase, pattern: string, beside: readonly TestCase[]): boolean {
  const place = new RegExp(pattern, 'i');
  const { line } = test.location;
  const own = test.titlePath().slice(2).join(' ');
  return beside.some(
    (other) =>
      other.location.line === line &&
      place.test(other.location.file.split(sep).join('/')) &&
      // The project is named by the command.
      other.titlePath().slice(2).join(' ') !== own,
  );
}

// Between slashes large letters are no small ones. The name of the project and of the file come first, tags after each part.
function titlePattern(test: TestCase): string {
  const parts = test.titlePath().filter((part) => part !== '');
  return `/^ *${parts.map(escaped).join('( @\\S+)* ')}( @\\S+)*$/`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
