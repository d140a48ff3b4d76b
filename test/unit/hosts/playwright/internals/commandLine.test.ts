import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  findConfigFile,
  isListRequested,
  isTestRun,
  readReporterSelection,
  readSelection,
} from '../../../../../src/hosts/playwright/internals/commandLine.js';
import { directory } from '../../../evidence/packages.js';

const argv = (line: string): string[] => ['node', 'cli.js', ...line.split(' ')];

test.for([
  ['test', true],
  ['test a.recipe.json --workers 2', true],
  ['test --list', false],
  ['test --grep --list', true],
  ['test --ui', false],
  ['test --ui-port=0', false],
  ['test --help', false],
  ['test-server', false],
  ['merge-reports blobs', false],
  ['show-report', false],
] as const)('`playwright %s` runs tests: %s', ([line, runs]) => {
  expect(isTestRun(argv(line))).toBe(runs);
});

test.for([
  ['test', []],
  ['test --workers 2 -x --reporter=line --retries 1 --headed -u', []],
  ['test a.recipe.json b.recipe.json:3', ['a.recipe.json', 'b.recipe.json:3']],
  ['test --grep-invert @AC2 -c my.config.ts', ['--grep-invert @AC2']],
  ['test -g @AC1 --shard=1/3 --last-failed', ['-g @AC1', '--shard=1/3', '--last-failed']],
  ['test --project one two --workers=1 a.spec.ts', ['--project one two', 'a.spec.ts']],
  ['test --project=one a.spec.ts', ['--project=one', 'a.spec.ts']],
  ['test --only-changed main', ['--only-changed main']],
  ['test -g@AC1 -j2 -xG@AC2', ['-g@AC1', '-xG@AC2']],
  ['test -xg @AC1 a.spec.ts', ['-xg @AC1', 'a.spec.ts']],
  ['test --grep a|b', ["--grep 'a|b'"]],
  ['merge-reports blobs', []],
] as const)('`playwright %s` leaves tests out by %j', ([line, selection]) => {
  expect(readSelection(argv(line))).toEqual(selection);
});

test.for([
  ['test', { replacing: undefined, added: [] }],
  ['test --reporter=list,json', { replacing: ['list', 'json'], added: [] }],
  ['test --reporter line --add-reporter blob,./own.ts a.spec.ts', { replacing: ['line'], added: ['blob', './own.ts'] }],
  ['test --reporter line --reporter=dot', { replacing: ['dot'], added: [] }],
  ['test -g --reporter=line', { replacing: undefined, added: [] }],
  ['merge-reports --reporter=html blobs', { replacing: ['html'], added: [] }],
] as const)('`playwright %s` selects the reporters %j', ([line, reporters]) => {
  expect(readReporterSelection(argv(line))).toEqual(reporters);
});

test.for([
  ['test --list a.recipe.json', true],
  ['test --grep --list', false],
  ['test', false],
] as const)('`playwright %s` lists the tests: %s', ([line, lists]) => {
  expect(isListRequested(argv(line))).toBe(lists);
});

test('the config is the file of -c or --config, or the first of Playwright’s names in a folder', () => {
  const dir = directory();
  mkdirSync(join(dir, 'both'));
  for (const name of ['playwright.config.js', 'playwright.config.ts']) writeFileSync(join(dir, 'both', name), '');
  expect(findConfigFile(['node', 'cli.js', 'test', '-c', join(dir, 'both')])).toBe(join(dir, 'both/playwright.config.ts'));
  expect(findConfigFile(['node', 'cli.js', 'test', `--config=${join(dir, 'other.ts')}`])).toBe(join(dir, 'other.ts'));
  expect(findConfigFile(['node', 'cli.js', 'test', `-c${join(dir, 'other.ts')}`])).toBe(join(dir, 'other.ts'));
  expect(findConfigFile(argv('test'))).toBe(join(process.cwd(), 'playwright.config.ts'));
});
