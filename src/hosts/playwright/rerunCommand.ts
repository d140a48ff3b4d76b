// The command that runs one test again, and nothing else.
import { relative, sep } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { quoteShellWord } from '../../evidence/escapeText.js';

/** `beside`: all tests of the run, among which the command has to mean this one alone. */
export function buildRerunCommand(test: TestCase, configDir: string, allTests: readonly TestCase[]): string {
  const path = relative(configDir, test.location.file).split(sep).join('/');
  // Playwright takes a path for a pattern that may fit anywhere, in small letters and in large ones.
  const pattern = /^[\w./ -]+$/.test(path) ? path : escapeRegExp(path);
  const project = test.parent.project()?.name;
  return [
    'npx playwright test',
    quoteShellWord(`${pattern}:${test.location.line}`),
    ...(project ? [quoteShellWord(`--project=${project}`)] : []),
    ...(matchesAnother(test, pattern, allTests) ? ['-g', quoteShellWord(buildTitlePattern(test))] : []),
  ].join(' ');
}

function matchesAnother(test: TestCase, pattern: string, allTests: readonly TestCase[]): boolean {
  const place = new RegExp(pattern, 'i');
  const { line } = test.location;
  const own = test.titlePath().slice(2).join(' ');
  return allTests.some(
    (other) =>
      other.location.line === line &&
      place.test(other.location.file.split(sep).join('/')) &&
      // The project is named by the command.
      other.titlePath().slice(2).join(' ') !== own,
  );
}

// Between slashes large letters are no small ones. The name of the project and of the file come first, tags after each part.
function buildTitlePattern(test: TestCase): string {
  const parts = test.titlePath().filter((part) => part !== '');
  return `/^ *${parts.map(escapeRegExp).join('( @\\S+)* ')}( @\\S+)*$/`;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
