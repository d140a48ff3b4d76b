// Imports point down this list, never up; `import type` is free. Adding an arrow is a reviewed line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Higher may import lower or equal. */
const rank: readonly (readonly string[])[] = [
  ['src/document', 'src/graph'],
  ['src/dialects'],
  ['src/system'],
  ['src/evidence', 'src/secrets'],
  ['src/browser'],
  ['src/actions'],
  ['src/run', 'src/check', 'src/review'],
  ['src/cli', 'src/hosts', 'fixtures', 'reporters', 'src'],
];

/** Who alone may import what. */
const fences: readonly (readonly [module: RegExp, allowed: RegExp])[] = [
  [/^@playwright\/test/, /^(src\/hosts\/playwright|src\/browser|fixtures)\/|^reporters\/playwright\.ts$/],
  [/^vitest/, /^src\/hosts\/vitest\/|^reporters\/vitest\.ts$/],
  [/^node:(fs|child_process|net)/, /^src\/system\//],
];

describe('imports', () => {
  const files = ['src', 'fixtures', 'reporters'].flatMap((folder) => sources(join(root, folder)));

  test('are found in the sources at all', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(200);
  });

  test.for(files)('%s imports only from its own level and below', (file) => {
    const upward = importsOf(file).filter((name) => name.startsWith('.') && levelOf(targetOf(file, name)) > levelOf(file));
    expect(upward).toEqual([]);
  });

  test.for(files)('%s stays on its side of the fences', (file) => {
    const over = importsOf(file).filter((name) => fences.some(([module, allowed]) => module.test(name) && !allowed.test(file)));
    expect(over).toEqual([]);
  });

  test('of graph and document reach nothing but each other and pure libraries', () => {
    const pure = files.filter((file) => /^src\/(graph|document)\//.test(file));
    const outside = pure.flatMap(importsOf).filter((name) => !name.startsWith('.'));
    expect([...new Set(outside)].sort()).toEqual(['re2js']);
  });
});

test.for([
  ['src/graph/next.ts', 'src/run/conduct.ts'],
  ['src/evidence/journal.ts', 'src/actions/action.ts'],
  ['src/actions/registry.ts', 'src/check/rules.ts'],
])('the table refuses an import from %s of %s', ([from = '', to = '']) => {
  expect(levelOf(to)).toBeGreaterThan(levelOf(from));
});

function sources(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/^(import|export) type .*?;$/gms, '');
  const statements = text.matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)(?!\.)/g);
  return [...statements, ...dynamic].flatMap((match) => match[1] ?? []);
}

function targetOf(file: string, name: string): string {
  return relative(root, resolve(root, dirname(file), name)).replace(/\.js$/, '.ts');
}

function levelOf(file: string): number {
  const level = rank.findLastIndex((folders) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const exact = rank.findIndex((folders) => folders.some((folder) => folder !== 'src' && file.startsWith(`${folder}/`)));
  return exact === -1 ? level : exact;
}
