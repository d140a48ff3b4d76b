// Reads Playwright's command line from process.argv, which is available before the config is loaded.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/program.ts (options)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/cli/testActions.ts (PWTEST_WATCH)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/configLoader.ts (names of configs)
// If Playwright adds options, a run may not be recognised. Its suite index then starts with the reporter, not with the config.
import { join, resolve } from 'node:path';
import { quoteShellWord } from '../../../evidence/escapeText.js';
import { readPathKind } from '../../../system/files/files.js';

/** Options whose next word is their value. */
const optionsWithValue = new Set([
  '--add-reporter',
  '--browser',
  '-c',
  '--config',
  '--global-timeout',
  '-g',
  '--grep',
  '-G',
  '--grep-invert',
  '-j',
  '--last-failed-file',
  '--max-failures',
  '--output',
  '--project',
  '--repeat-each',
  '--reporter',
  '--retries',
  '--run-agents',
  '--shard',
  '--test-list',
  '--test-list-invert',
  '--timeout',
  '--trace',
  '--tsconfig',
  '--ui-host',
  '--ui-port',
  '--update-source-method',
  '--workers',
]);

/** Options whose next word may be their value. */
const optionsWithOptionalValue = new Set(['--debug', '--only-changed', '--shuffle', '-u', '--update-snapshots']);

/** Options that leave tests out. */
const selectingOptions = new Set([
  '-g',
  '--grep',
  '-G',
  '--grep-invert',
  '--last-failed',
  '--only-changed',
  '--project',
  '--shard',
  '--test-list',
  '--test-list-invert',
]);

/** `words`: the words of the option on the command line. `attached`: a value in the same word. */
type Option = { name: string; words: string[]; attached?: string | undefined };

/** `--grep=@AC1`, `-g@AC1`, or after an option without a value `-xg@AC1`. */
const longOption = /^(?<name>--[\w-]+)=(?<attached>.*)$/s;
const shortOption = /^-x*(?<letter>[a-zA-Z])(?<attached>.*)$/s;

function splitOption(word: string): { name: string; attached?: string | undefined } {
  const { name, attached } = longOption.exec(word)?.groups ?? {};
  if (name !== undefined) return { name, attached };
  const { letter, attached: rest } = shortOption.exec(word)?.groups ?? {};
  return letter === undefined ? { name: word } : { name: `-${letter}`, ...(rest ? { attached: rest } : {}) };
}

function parseOptions(words: readonly string[]): Option[] {
  const options: Option[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const { name, attached } = splitOption(word);
    const optionWords = [word];
    const next = words[at + 1];
    const hasOwnValue = attached !== undefined || next === undefined;
    if (!hasOwnValue && (optionsWithValue.has(name) || (optionsWithOptionalValue.has(name) && !next.startsWith('-'))))
      optionWords.push(words[++at] ?? '');
    // This option takes all words up to the next option.
    if (name === '--project' && optionWords.length === 2)
      while (words[at + 1] !== undefined && !words[at + 1]?.startsWith('-')) optionWords.push(words[++at] ?? '');
    options.push({ name: word.startsWith('-') ? name : '', words: optionWords, attached });
  }
  return options;
}

/** Returns Playwright's command, such as `test`, `test-server` or `merge-reports`. */
export function readCommand(argv: readonly string[] = process.argv): string {
  return argv[2] ?? '';
}

/** Whether this process runs tests, rather than listing them, merging reports, or waiting for an editor. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  if (process.env.TEST_WORKER_INDEX !== undefined || process.env.PWTEST_WATCH || readCommand(argv) !== 'test') return false;
  return !parseOptions(argv.slice(3)).some(({ name }) => /^--(list|ui|ui-host|ui-port|help)$|^-h$/.test(name));
}

export function isListRequested(argv: readonly string[] = process.argv): boolean {
  return parseOptions(argv.slice(3)).some(({ name }) => name === '--list');
}

/** Returns the options and file filters that leave tests out, in the words of the command line. */
export function readSelection(argv: readonly string[] = process.argv): string[] {
  if (readCommand(argv) !== 'test') return [];
  return parseOptions(argv.slice(3))
    .filter(({ name }) => name === '' || selectingOptions.has(name))
    .map(({ words }) => words.map(quoteShellWord).join(' '));
}

/** `replacing`: reporters that replace those of the config. `added`: additional reporters. */
type ReporterSelection = { replacing: string[] | undefined; added: string[] };

export function readReporterSelection(argv: readonly string[] = process.argv): ReporterSelection {
  const options = parseOptions(argv.slice(3));
  const readNames = (option: string): string[] | undefined => {
    const last = options.filter(({ name }) => name === option).at(-1);
    return last && (last.attached ?? last.words[1] ?? '').split(',').filter((name) => name !== '');
  };
  return { replacing: readNames('--reporter'), added: readNames('--add-reporter') ?? [] };
}

const playwrightConfigNames = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'].map((end) => `playwright.config${end}`);

/** Returns the path of the config file that this command line loads. */
export function findConfigFile(argv: readonly string[] = process.argv): string {
  const option = parseOptions(argv.slice(3)).find(({ name }) => name === '-c' || name === '--config');
  const path = resolve(option?.attached ?? option?.words[1] ?? '.');
  if (readPathKind(path) !== 'directory') return path;
  const file = playwrightConfigNames.map((name) => join(path, name)).find((name) => readPathKind(name) === 'file');
  return file ?? join(path, playwrightConfigNames[0] ?? '');
}

type RequestedLine = { end: string; line: number };

const requestedLinesByArgv = new WeakMap<readonly string[], readonly RequestedLine[]>();

/** Returns the line of the document that the command line names, as in `checkout.recipe.json:12`. */
export function findRequestedLine(document: string, argv: readonly string[] = process.argv): number | undefined {
  const lines = requestedLinesByArgv.get(argv) ?? parseRequestedLines(argv);
  requestedLinesByArgv.set(argv, lines);
  if (lines.length === 0) return undefined;
  const path = document.replaceAll('\\', '/');
  return lines.find(({ end }) => path.endsWith(end))?.line;
}

function parseRequestedLines(argv: readonly string[]): RequestedLine[] {
  const matches = argv
    .map((arg) => /^(?<name>.*\.(json|md)):(?<line>\d+)(:\d+)?$/.exec(arg)?.groups)
    .filter((groups) => groups !== undefined);
  return matches.map(({ name = '', line }) => ({
    end: `/${name.replaceAll('\\', '/').replace(/^\.?\//, '')}`,
    line: Number(line),
  }));
}
