import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = path.join(root, 'dist');
const names = readdirSync(dist);
const scripts = names.filter((name) => name.endsWith('.js'));

test('the package contains scripts, their source maps, declarations and licenses, and nothing else', () => {
  expect(names.filter((name) => !/\.(js|js\.map|cjs|d\.ts|d\.cts)$/.test(name))).toEqual(['THIRD-PARTY-LICENSES.txt']);
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((name) => !names.includes(`${name}.map`))).toEqual([]);
});

test.for(scripts)('%s of the package is not minified', (name) => {
  const text = readFileSync(path.join(dist, name), 'utf8');
  const lines = text.split('\n').length;
  expect(text.length / lines).toBeLessThan(120);
});

test('the package has the license of every package whose code it contains', () => {
  const licenses = readFileSync(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const contained = scripts.flatMap((name) => {
    const text = readFileSync(path.join(dist, name), 'utf8');
    return [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/\n]+)/gm)].map(([, owner]) => owner as string);
  });
  expect(contained.length).toBeGreaterThan(2);
  expect([...new Set(contained)].filter((owner) => !licenses.includes(`\n${owner} `))).toEqual([]);
});

test('what require() loads is the same module as what import loads', async () => {
  // A process of its own: in this one Vitest decides what an import loads.
  const script = `const { createRequire } = await import('node:module');
    const require = createRequire(${JSON.stringify(path.join(root, 'test/unit/'))});
    const names = ['', '/playwright', '/playwright/reporter', '/vitest', '/vitest/reporter', '/template'];
    for (const name of names) {
      const [imported, required] = [await import('recipewright' + name), require('recipewright' + name)];
      console.log(name, Object.keys(required).length > 0 && Object.keys(required).every((key) => required[key] === imported[key]));
    }`;
  const args = ['--no-warnings', '--input-type=module', '--eval', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root });
  expect([
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[1]),
    stderr,
  ]).toEqual([Array(6).fill('true'), '']);
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
