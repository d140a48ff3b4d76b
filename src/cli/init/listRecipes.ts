// Asks the project's own Vitest whether recipes are among its tests: the text of a config does not tell.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { childEnv } from '../../system/childEnv.js';
import { systemClock } from '../../system/clock.js';
import { runProcess } from '../../system/spawn.js';

/** `problem`: why Vitest could not be asked. */
export type Listed = { recipes: string[] } | { problem: string };

const longestMs = 60_000;

export async function listRecipes(root: string): Promise<Listed> {
  const vitest = vitestOf(root);
  if (vitest === undefined) return { problem: 'vitest is not installed' };
  const stop = new AbortController();
  const withdraw = systemClock.after(longestMs, () => stop.abort(new Error(`it took longer than ${longestMs} ms`)));
  const { exitCode, spawnError, stdout, stderr } = await runProcess({
    command: [process.execPath, vitest, 'list', '--filesOnly'],
    cwd: root,
    env: { ...childEnv({ passEnv: Object.keys(process.env) }), NO_COLOR: '1' },
    signal: stop.signal,
    tag: `init/${process.pid}`,
  });
  withdraw();
  if (exitCode !== 0) return { problem: spawnError ?? `${stdout.bytes}${stderr.bytes}`.trim() };
  // No other test file has such a name.
  return {
    recipes: stdout.bytes
      .toString()
      .split('\n')
      .filter((file) => /\.(json|md)$/i.test(file)),
  };
}

function vitestOf(root: string): string | undefined {
  try {
    return join(dirname(createRequire(join(root, 'package.json')).resolve('vitest/package.json')), 'vitest.mjs');
  } catch {
    // MODULE_NOT_FOUND
    return undefined;
  }
}
