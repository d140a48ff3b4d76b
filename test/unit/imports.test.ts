import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sourceMap } from '../../scripts/sourceMap.mjs';
import { withSourceMap } from '../../scripts/writeSourceMap.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The only folders that may import these modules. The proxy of flow-specs is a server, and is part of its format. */
const fences: readonly (readonly [module: RegExp, allowed: RegExp])[] = [
  [/^@playwright\/test/, /^(src\/hosts\/playwright|src\/browser|fixtures)\/|^reporters\/playwright\.ts$/],
  [/^vitest/, /^src\/hosts\/vitest\/|^reporters\/vitest\.ts$/],
  [/^node:(fs|child_process|net)/, /^src\/system\/|^src\/formats\/flowSpec\/network\/|^src\/formats\/template\/files\//],
];

const files = ['src', 'fixtures', 'reporters'].flatMap((folder) => sources(join(root, folder)));
const folders = sourceMap.map(({ folder }) => folder);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('the map of the source', () => {
  test('the map of the source has every folder, and no folder without files', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...folders].sort());
  });

  test('the map of the source lists each folder below the folders that it imports', () => {
    const later = sourceMap.flatMap((entry, index) => entry.imports.filter((name) => folders.indexOf(name) >= index));
    expect(later).toEqual([]);
  });

  test('the map of the source allows exactly the imports that files use, type imports included', () => {
    const arrows = new Set(
      [...imports].flatMap(([file, names]) => names.filter((name) => name.startsWith('.')).map((name) => arrowOf(file, name))),
    );
    const actual = [...arrows].filter((arrow) => arrow !== undefined).sort();
    expect(actual.length).toBeGreaterThan(100);
    expect(actual).toEqual(sourceMap.flatMap(({ folder, imports: to }) => to.map((name) => `${folder} → ${name}`)).sort());
  });

  test('CONTRIBUTING.md contains the map of the source', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    expect(text).toBe(withSourceMap(text));
  });
});

test.for(files)('%s imports no module that is reserved for other folders', (file) => {
  const over = importsOf(file, 'values').filter((name) =>
    fences.some(([module, allowed]) => module.test(name) && !allowed.test(file)),
  );
  expect(over).toEqual([]);
});

test('engine, shell, recipe and document import only each other and pure libraries', () => {
  const pure = files.filter((file) => /^src\/(engine|shell|recipe|document)\//.test(file));
  const outside = pure.flatMap((file) => importsOf(file, 'values')).filter((name) => !name.startsWith('.'));
  expect([...new Set(outside)].sort()).toEqual(['re2js']);
});

function sources(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string, which: 'all' | 'values' = 'all'): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const text = which === 'all' ? source : source.replace(/^(import|export) type .*?;$/gms, '');
  const statements = text.matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm);
  const dynamic = text.matchAll(
    which === 'all' ? /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g : /\bimport\(\s*['"]([^'"]+)['"]\s*\)(?!\.)/g,
  );
  return [...statements, ...dynamic].flatMap((match) => match[1] ?? []);
}

function arrowOf(file: string, name: string): string | undefined {
  const target = relative(root, resolve(root, dirname(file), name)).replace(/\.js$/, '.ts');
  const [from, to] = [folderOf(file), folderOf(target)];
  return from === to ? undefined : `${from} → ${to}`;
}

/** Returns the deepest folder of the map that contains the file. */
function folderOf(file: string): string {
  const holding = folders.filter((folder) => dirname(file) === folder || (folder !== 'src' && file.startsWith(`${folder}/`)));
  return holding.sort((a, b) => b.length - a.length)[0] ?? dirname(file);
}
