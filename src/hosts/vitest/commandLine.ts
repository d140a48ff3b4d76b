// What Vitest's command line asks for, told from process.argv: it is known before the config is read.
// Leans on the commands and options in vitest/dist/chunks/cac.*.js, and on how createVitest finds its config (cli-api.*.js), of 4.1.12.
// With another version, a run may be taken for none; then its index begins with the reporter.
import { basename, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { kindOf } from '../../system/files.js';

const noRun = /^--(merge-?reports|standalone|help|version|clear-?cache|list-?tags)(=|$)|^-[hv]$/i;

/** Whether this process, with its config, is there to run tests: not to list them, to merge reports, or to wait for an editor. */
export function isTestRun(argv: readonly string[] = process.argv): boolean {
  const { VITEST_WORKER_ID, VITEST_POOL_ID } = process.env;
  if (!isMainThread || VITEST_WORKER_ID !== undefined || VITEST_POOL_ID !== undefined) return false;
  const [, program = '', command = ''] = argv;
  if (!/^vitest(\.m?js)?$/.test(basename(program)) && !/[\\/]vitest[\\/]dist[\\/]cli\.js$/.test(program)) return false;
  return command !== 'list' && command !== 'init' && !argv.slice(2).some((word) => noRun.test(word));
}

/** The value of an option, by any of its names. */
function optionValue(names: readonly string[], argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
  const word = argv[at];
  if (word === undefined) return undefined;
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : argv[at + 1];
}

const configNames = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'].map((end) => `${name}${end}`),
);

/** The root and the config that this command line asks for. */
export function configIn(argv: readonly string[] = process.argv): { root: string; configFile: string } {
  const root = resolve(optionValue(['-r', '--root'], argv) ?? '.');
  const named = optionValue(['-c', '--config'], argv);
  const found = configNames.map((name) => join(root, name)).find((name) => kindOf(name) === 'file');
  return { root, configFile: named === undefined ? (found ?? join(root, configNames[0] ?? '')) : resolve(root, named) };
}
