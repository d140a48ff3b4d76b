// findProjectRoot() finds the project of a file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProjectRoot } from '../../../src/system/project.js';

/** Creates a directory with empty files. */
function tree(...files: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), '');
  }
  return dir;
}

test.for(['package.json', '.git', 'recipewright.config.mjs', 'recipewright.config.ts'])(
  'the nearest parent directory with %s is the project of a file, in any working directory',
  (mark) => {
    const dir = tree('package.json', `shop/${mark}`, 'shop/recipes/deep/a.recipe.json', 'b.recipe.json');
    const file = join(dir, 'shop/recipes/deep/a.recipe.json');
    for (const cwd of [dir, join(dir, 'shop/recipes'), tmpdir(), '/']) expect(findProjectRoot(file, cwd)).toBe(join(dir, 'shop'));
    expect(findProjectRoot(join(dir, 'b.recipe.json'), join(dir, 'shop'))).toBe(dir);
  },
);

test('a file without a project belongs to the working directory, or else to its own directory', () => {
  const dir = tree('a/b/c.recipe.json', '..a/d.recipe.json');
  const file = join(dir, 'a/b/c.recipe.json');
  expect(findProjectRoot(file, dir)).toBe(dir);
  expect(findProjectRoot(file, join(dir, 'a/b'))).toBe(join(dir, 'a/b'));
  expect(findProjectRoot(file, join(dir, 'a/b/other'))).toBe(join(dir, 'a/b'));
  expect(findProjectRoot(join(dir, '..a/d.recipe.json'), dir)).toBe(dir);
  expect(findProjectRoot(join(dir, 'a/not-there.recipe.json'), join(dir, '..a'))).toBe(join(dir, 'a'));
});
