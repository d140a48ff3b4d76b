import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = path.join(root, 'dist');
const names = readdirSync(dist);
const scripts = names.filter((name) => name.endsWith('.js'));

test('the package contains scripts, their source maps and declarations, and nothing else', () => {
  expect(names.filter((name) => !/\.(js|js\.map|d\.ts)$/.test(name))).toEqual([]);
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((name) => !names.includes(`${name}.map`))).toEqual([]);
});

test.for(scripts)('%s of the package is not minified', (name) => {
  const text = readFileSync(path.join(dist, name), 'utf8');
  const lines = text.split('\n').length;
  expect(text.length / lines).toBeLessThan(120);
});

test('the package takes at most 6 MB', () => {
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
  const bytes = files.map((file) => sizeOf(path.join(root, file))).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(6_000_000);
});

function sizeOf(file: string): number {
  if (!statSync(file).isDirectory()) return statSync(file).size;
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
}
