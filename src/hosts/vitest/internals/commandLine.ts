// Reads Vitest's command line from process.argv, because Vitest tells plugins about a run only after the config has loaded.
// Relies on the commands and options of Vitest 4.1.12, on the names of its config files, and on how it compares project names:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/cli/cac.ts
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/constants.ts (configFiles)
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/core.ts (matchesProjectFilter)
// In other versions, a test run may not be recognised. Its index then starts with the reporter.
import { basename, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { includesLine } from '../../../document/lineRange.js';
import { readPathKind } from '../../../system/files/files.js';
import type { DeclaredTest } from '../../shared/declaredTests.js';

const optionsWithoutRun = /^--(merge-?reports|standalone|help|version|clear-?cache|list-?tags)(=|$)|^-[hv]$/i;

const commandsWithoutRun = new Set(['list', 'bench', 'init', 'doctor']);

/** Whether this process runs tests, rather than listing them, merging reports, waiting for an editor, or being a worker. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  const { VITEST_WORKER_ID, VITEST_POOL_ID } = process.env;
  if (!isMainThread || VITEST_WORKER_ID !== undefined || VITEST_POOL_ID !== undefined) return false;
  const [, program = '', command = ''] = argv;
  if (!/^vitest(\.m?js)?$/.test(basename(program)) && !/[\\/]vitest[\\/]dist[\\/]cli\.js$/.test(program)) return false;
  return !commandsWithoutRun.has(command) && !argv.slice(2).some((word) => optionsWithoutRun.test(word));
}

function readOptionValues(names: readonly string[], argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const name = names.find((candidate) => word === candidate || word.startsWith(`${candidate}=`));
    if (name === undefined) return [];
    return word === name ? argv.slice(at + 1, at + 2) : [word.slice(name.length + 1)];
  });
}

/** Returns the values of `--project`. An empty list selects all projects. */
export function projectPatterns(argv: readonly string[] = process.argv): string[] {
  return readOptionValues(['--project'], argv);
}

/** Whether the patterns select a project. As in Vitest, `*` matches any characters, and a leading `!` excludes. */
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

export function locateConfig(argv: readonly string[] = process.argv): { root: string; configFile: string } {
  const root = resolve(readOptionValues(['-r', '--root'], argv)[0] ?? '.');
  const [configOption] = readOptionValues(['-c', '--config'], argv);
  const existingFile = configFileNames.map((name) => join(root, name)).find((name) => readPathKind(name) === 'file');
  return {
    root,
    configFile: configOption === undefined ? (existingFile ?? join(root, configFileNames[0] ?? '')) : resolve(root, configOption),
  };
}

/**
 * Moves tests to the line of `vitest run checkout.recipe.json:12`. Vitest selects a test only by its first line,
 * but a user may name any line of the flow or example.
 */
export function placeTestsAtLine(
  tests: readonly DeclaredTest[],
  file: string,
  argv: readonly string[] = process.argv,
): DeclaredTest[] {
  const line = findRequestedLine(file, argv);
  if (line === undefined) return [...tests];
  const inFlow = tests.filter(({ flow }) => flow === undefined || includesLine(flow, line));
  // A line of a flow outside its examples selects all its examples.
  const matching = inFlow.filter(({ example }) => example && includesLine(example, line));
  const selected = new Set(matching.length > 0 ? matching : inFlow);
  return tests.map((test) => (selected.has(test) ? { ...test, place: { file, line, column: 1 } } : test));
}

function findRequestedLine(file: string, argv: readonly string[]): number | undefined {
  const path = file.replaceAll('\\', '/');
  for (const arg of argv) {
    const [, name = '', line] = /^(.*\.(?:json|md)):(\d+)$/i.exec(arg) ?? [];
    if (line !== undefined && path.includes(name.replaceAll('\\', '/').replace(/^\.\//, ''))) return Number(line);
  }
  return undefined;
}
