// Builds the command that runs one test again, and no other test.
import { relative, sep } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { quoteShellWord } from '../../evidence/escapeText.js';

/** `allTests`: the tests of the run. The command must match only `test`. */
export function buildRerunCommand(test: TestCase, configDir: string, allTests: readonly TestCase[]): string {
  const path = relative(configDir, test.location.file).split(sep).join('/');
  // Playwright treats a path as a regular expression that matches anywhere and ignores case.
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
  const pathPattern = new RegExp(pattern, 'i');
  const { line } = test.location;
  const own = test.titlePath().slice(2).join(' ');
  return allTests.some(
    (other) =>
      other.location.line === line &&
      pathPattern.test(other.location.file.split(sep).join('/')) &&
      // The title path begins with the project, which --project selects, and the file.
      other.titlePath().slice(2).join(' ') !== own,
  );
}

// A pattern between slashes is case-sensitive. Playwright matches it against the project, the file and the titles, each followed by tags.
function buildTitlePattern(test: TestCase): string {
  const parts = test.titlePath().filter((part) => part !== '');
  return `/^ *${parts.map(escapeRegExp).join('( @\\S+)* ')}( @\\S+)*$/`;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
