import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { hasColors } from '../../../src/system/hasColors.js';

test('a terminal has colors and a pipe has none, unless NO_COLOR or FORCE_COLOR is set', () => {
  expect(hasColors({ isTTY: true }, {})).toBe(true);
  expect(hasColors({}, {})).toBe(false);
  expect(hasColors({}, { CI: '1' })).toBe(false);
  expect(hasColors({}, { CI: '1', FORCE_COLOR: '1' })).toBe(true);
  expect(hasColors({ isTTY: true }, { FORCE_COLOR: '0' })).toBe(false);
  expect(hasColors({ isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
  expect(hasColors({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
});

test('the command line writes no colors to a pipe, not even in CI', () => {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'package.json'), '{}');
  const program = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
  const init = (env: Record<string, string>): string =>
    execFileSync(process.execPath, [program, 'init', '--host', 'vitest', '--dry-run'], {
      cwd: dir,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
  expect(init({ CI: '1' })).toContain('example.recipe.json');
  expect(init({ CI: '1' })).not.toContain('\u001b');
  expect(init({ FORCE_COLOR: '1' })).toContain('\u001b[32m');
});
