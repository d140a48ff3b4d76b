// These tests run in a worker of Vitest, where isTestRun() is always false.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  isProjectSelected,
  isTestRun,
  locateConfig,
  projectPatterns,
} from '../../../../../src/hosts/vitest/internals/commandLine.js';
import { directory } from '../../../evidence/packages.js';

const lines: [line: string, runs: boolean][] = [
  ['vitest.mjs', true],
  ['vitest.mjs run a.recipe.json -t x', true],
  ['vitest.mjs watch', true],
  ['vitest.mjs list', false],
  ['vitest.mjs list --json', false],
  ['vitest.mjs bench --run', false],
  ['vitest.mjs run --merge-reports', false],
  ['vitest.mjs --mergeReports=blobs', false],
  ['vitest.mjs --standalone', false],
  ['vitest.mjs --help', false],
  ['node_modules/.bin/vitest run', true],
  ['node_modules/vitest/dist/cli.js run', true],
  ['node_modules/vitest/dist/workers/forks.js', false],
  ['vite.js', false],
];

test('isTestRun is true for runs, and false for lists, merges, workers and other programs', () => {
  const root = dirname(fileURLToPath(new URL('../../../../../package.json', import.meta.url)));
  const code = `
    import { createJiti } from 'jiti';
    const { isTestRun } = await createJiti(${JSON.stringify(`${root}/`)}).import(${JSON.stringify(join(root, 'src/hosts/vitest/internals/commandLine.ts'))});
    console.log(JSON.stringify(${JSON.stringify(lines)}.map(([line]) => [line, isTestRun(['node', ...line.split(' ')])])));`;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(lines);
});

test('isTestRun is false in a worker', () => {
  expect(isTestRun(['node', 'vitest.mjs', 'run'])).toBe(false);
});

test('locateConfig finds the root and the config file as Vitest does', () => {
  const dir = directory();
  mkdirSync(join(dir, 'both'));
  for (const name of ['vite.config.ts', 'vitest.config.js']) writeFileSync(join(dir, 'both', name), '');
  const root = join(dir, 'both');
  expect(locateConfig(['node', 'vitest', 'run', '--root', root])).toEqual({ root, configFile: join(root, 'vitest.config.js') });
  expect(locateConfig(['node', 'vitest', `-r=${root}`, '-c', 'own.ts'])).toEqual({ root, configFile: join(root, 'own.ts') });
});

test('--project selects projects by name, by a pattern, or by exclusion', () => {
  const patterns = projectPatterns(['node', 'vitest', '--project=unit', '--project', 'e2e*']);
  expect(patterns).toEqual(['unit', 'e2e*']);
  expect(['unit', 'e2e-shop', 'units', 'recipes'].map((name) => isProjectSelected(name, patterns))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(['unit', 'recipes'].map((name) => isProjectSelected(name, ['!recipes']))).toEqual([true, false]);
  expect(isProjectSelected('recipes', [])).toBe(true);
});
