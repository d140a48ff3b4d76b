// What Playwright's command line asks for, told from process.argv: it is known before the config is read.
// Leans on the options in playwright/lib/program.js, and on runTests and resolveConfigLocation (lib/cli/testActions.js, lib/common), of 1.65.0.
// With another version, a run may be taken for none; then its index begins with the reporter.
import { join, resolve } from 'node:path';
import { quoteShellWord } from '../../../evidence/escapeText.js';
import { readPathKind } from '../../../system/files/files.js';

/** Options whose next word is their value. */
const optionsWithValue = new Set([
  ...['--add-reporter', '--browser', '-c', '--config', '--global-timeout', '-g', '--grep', '-G', '--grep-invert'],
  ...['--last-failed-file', '--max-failures', '--output', '--project', '--repeat-each', '--reporter', '--retries'],
  ...['--run-agents', '--shard', '--test-list', '--test-list-invert', '--timeout', '--trace', '--tsconfig'],
  ...['--ui-host', '--ui-port', '--update-source-method', '-j', '--workers'],
]);

/** Options whose next word may be their value. */
const optionsWithOptionalValue = new Set(['--debug', '--only-changed', '--shuffle', '-u', '--update-snapshots']);

/** Options that leave tests out. */
const selectingOptions = new Set([
  ...['-g', '--grep', '-G', '--grep-invert', '--project', '--shard', '--test-list', '--test-list-invert'],
  ...['--last-failed', '--only-changed'],
]);

/** `words`: as they are written. `attached`: a value in the same word. */
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
    // Playwright takes several names: all words up to the next option.
    if (name === '--project' && optionWords.length === 2)
      while (words[at + 1] !== undefined && !words[at + 1]?.startsWith('-')) optionWords.push(words[++at] ?? '');
    options.push({ name: word.startsWith('-') ? name : '', words: optionWords, attached });
  }
  return options;
}

/** Whether this process, with its config, is there to run tests: not to list them, to merge reports, or to wait for an editor. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  if (process.env.TEST_WORKER_INDEX !== undefined || process.env.PWTEST_WATCH || argv[2] !== 'test') return false;
  return !parseOptions(argv.slice(3)).some(({ name }) => /^--(list|ui|ui-host|ui-port|help)$|^-h$/.test(name));
}

/** What the command line leaves out, as it was written: options, and words that choose files. */
export function readSelection(argv: readonly string[] = process.argv): string[] {
  if (argv[2] !== 'test') return [];
  return parseOptions(argv.slice(3))
    .filter(({ name }) => name === '' || selectingOptions.has(name))
    .map(({ words }) => words.map(quoteShellWord).join(' '));
}

const playwrightConfigNames = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'].map((end) => `playwright.config${end}`);

/** The config that this command line asks for. */
export function findConfigFile(argv: readonly string[] = process.argv): string {
  const option = parseOptions(argv.slice(3)).find(({ name }) => name === '-c' || name === '--config');
  const value = option?.attached ?? option?.words[1] ?? '.';
  const place = resolve(value);
  if (readPathKind(place) !== 'directory') return place;
  const file = playwrightConfigNames.map((name) => join(place, name)).find((name) => readPathKind(name) === 'file');
  return file ?? join(place, playwrightConfigNames[0] ?? '');
}
export type RequestedLine = { end: string; line: number };
export const linesByArgv = new WeakMap<readonly string[], readonly RequestedLine[]>();
export function parseRequestedLines(argv: readonly string[]): RequestedLine[] {
  const asked = argv
    .map((arg) => /^(?<name>.*\.(json|md)):(?<line>\d+)(:\d+)?$/.exec(arg)?.groups)
    .filter((groups) => groups !== undefined);
  return asked.map(({ name = '', line }) => ({
    end: `/${name.replaceAll('\\', '/').replace(/^\.?\//, '')}`,
    line: Number(line),
  }));
}
/** The line of the document that the command line asks for, as in `checkout.recipe.json:12`. Tests are known by title, so it may be any line. */

export function findRequestedLine(document: string, argv: readonly string[] = process.argv): number | undefined {
  const lines = linesByArgv.get(argv) ?? parseRequestedLines(argv);
  linesByArgv.set(argv, lines);
  if (lines.length === 0) return undefined;
  const path = document.replaceAll('\\', '/');
  return lines.find(({ end }) => path.endsWith(end))?.line;
}
