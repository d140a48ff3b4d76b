// What Vitest's command line asks for, told from process.argv: it is known before the config is read.
// Leans on the commands and options in vitest/dist/chunks/cac.*.js, and on how createVitest finds its config (cli-api.*.js), of 4.1.12.
// With another version, a run may be taken for none; then its index begins with the reporter.
import { basename, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { includesLine } from '../../document/lineRange.js';
import { readPathKind } from '../../system/files/files.js';
import type { DeclaredTest } from '../shared/declaredTests.js';

const optionsWithoutRun = /^--(merge-?reports|standalone|help|version|clear-?cache|list-?tags)(=|$)|^-[hv]$/i;

/** Commands that run no tests. */
const otherCommands = new Set(['list', 'bench', 'init', 'doctor']);

/** Whether this process, with its config, is there to run tests: not to list them, to merge reports, or to wait for an editor. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  const { VITEST_WORKER_ID, VITEST_POOL_ID } = process.env;
  if (!isMainThread || VITEST_WORKER_ID !== undefined || VITEST_POOL_ID !== undefined) return false;
  const [, program = '', command = ''] = argv;
  if (!/^vitest(\.m?js)?$/.test(basename(program)) && !/[\\/]vitest[\\/]dist[\\/]cli\.js$/.test(program)) return false;
  return !otherCommands.has(command) && !argv.slice(2).some((word) => optionsWithoutRun.test(word));
}

/** The values of an option, by any of its names. */
function optionValues(names: readonly string[], argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const name = names.find((one) => word === one || word.startsWith(`${one}=`));
    if (name === undefined) return [];
    return word === name ? argv.slice(at + 1, at + 2) : [word.slice(name.length + 1)];
  });
}

/** The projects that this command line asks for; none when it asks for all. */
export function projectPatterns(argv: readonly string[] = process.argv): string[] {
  return optionValues(['--project'], argv);
}

/** As Vitest compares names: `*` stands for anything, `!` in front leaves out. */
export function isProjectSelected(project: string, patterns: readonly string[] = projectPatterns()): boolean {
  const matches = (pattern: string): boolean =>
    new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 'i').test(project);
  const included = patterns.filter((pattern) => !pattern.startsWith('!'));
  const isExcluded = patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)));
  return !isExcluded && (included.length === 0 || included.some(matches));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const configFileNames = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'].map((end) => `${name}${end}`),
);

/** The root and the config that this command line asks for. */
export function locateConfig(argv: readonly string[] = process.argv): { root: string; configFile: string } {
  const root = resolve(optionValues(['-r', '--root'], argv)[0] ?? '.');
  const [configOption] = optionValues(['-c', '--config'], argv);
  const found = configFileNames.map((name) => join(root, name)).find((name) => readPathKind(name) === 'file');
  return {
    root,
    configFile: configOption === undefined ? (found ?? join(root, configFileNames[0] ?? '')) : resolve(root, configOption),
  };
}

// The line of a document that the command line asks for, as in `vitest run checkout.recipe.json:12`.

/** Vitest wants the very line of a test: any line of what it stands for is taken for it. */
export function placeTestsAtLine(
  tests: readonly DeclaredTest[],
  file: string,
  argv: readonly string[] = process.argv,
): DeclaredTest[] {
  const line = lineFromArguments(file, argv);
  if (line === undefined) return [...tests];
  const inFlow = tests.filter(({ flow }) => flow === undefined || includesLine(flow, line));
  // A line of a flow that is of none of its examples stands for all of them.
  const matching = inFlow.filter(({ example }) => example && includesLine(example, line));
  const chosen = new Set(matching.length > 0 ? matching : inFlow);
  return tests.map((test) => (chosen.has(test) ? { ...test, place: { file, line: line, column: 1 } } : test));
}

function lineFromArguments(file: string, argv: readonly string[]): number | undefined {
  const path = file.replaceAll('\\', '/');
  for (const arg of argv) {
    const [, name = '', line] = /^(.*\.(?:json|md)):(\d+)$/i.exec(arg) ?? [];
    if (line !== undefined && path.includes(name.replaceAll('\\', '/').replace(/^\.\//, ''))) return Number(line);
  }
  return undefined;
}
