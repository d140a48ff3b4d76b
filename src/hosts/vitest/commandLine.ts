// What Vitest's command line asks for, told from process.argv: it is known before the config is read.
// Leans on the commands and options in vitest/dist/chunks/cac.*.js, and on how createVitest finds its config (cli-api.*.js), of 4.1.12.
// With another version, a run may be taken for none; then its index begins with the reporter.
import { basename, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { readPathKind } from '../../system/files/files.js';

const noRun = /^--(merge-?reports|standalone|help|version|clear-?cache|list-?tags)(=|$)|^-[hv]$/i;

/** Commands that run no tests. */
const otherCommands = new Set(['list', 'bench', 'init', 'doctor']);

/** Whether this process, with its config, is there to run tests: not to list them, to merge reports, or to wait for an editor. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  const { VITEST_WORKER_ID, VITEST_POOL_ID } = process.env;
  if (!isMainThread || VITEST_WORKER_ID !== undefined || VITEST_POOL_ID !== undefined) return false;
  const [, program = '', command = ''] = argv;
  if (!/^vitest(\.m?js)?$/.test(basename(program)) && !/[\\/]vitest[\\/]dist[\\/]cli\.js$/.test(program)) return false;
  return !otherCommands.has(command) && !argv.slice(2).some((word) => noRun.test(word));
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
export function projectsAskedFor(argv: readonly string[] = process.argv): string[] {
  return optionValues(['--project'], argv);
}

/** As Vitest compares names: `*` stands for anything, `!` in front leaves out. */
export function isAskedFor(project: string, asked: readonly string[] = projectsAskedFor()): boolean {
  const fits = (pattern: string): boolean =>
    new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 'i').test(project);
  const wanted = asked.filter((pattern) => !pattern.startsWith('!'));
  const isUnwanted = asked.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1)));
  return !isUnwanted && (wanted.length === 0 || wanted.some(fits));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const configNames = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'].map((end) => `${name}${end}`),
);

/** The root and the config that this command line asks for. */
export function configIn(argv: readonly string[] = process.argv): { root: string; configFile: string } {
  const root = resolve(optionValues(['-r', '--root'], argv)[0] ?? '.');
  const [named] = optionValues(['-c', '--config'], argv);
  const found = configNames.map((name) => join(root, name)).find((name) => readPathKind(name) === 'file');
  return { root, configFile: named === undefined ? (found ?? join(root, configNames[0] ?? '')) : resolve(root, named) };
}
