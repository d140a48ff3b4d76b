// Small test files that stand for documents, with source maps that name the JSON: Playwright finds a recipe by its own name.
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFiles, findModuleType, pruneFiles, readBytesIfThere, sha256 } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';
import { prefetchText } from './prefetchDocument.js';

/** How many documents one test file stands for. */
export type Shims = 'document' | 'folder';

export type ShimOptions = {
  /** Where the patterns are looked for. */
  root: string;
  testDir: string;
  projectFile: string;
  patterns: readonly string[];
  setup: string | undefined;
  shims: Shims | undefined;
};

const registerModule = new URL('./playwright-register.js', import.meta.url);
const maxShims = 500;
const maxDocumentsInShim = 250;

/** Says what it decided on: each file costs Playwright, and a folder costs the grouping by document. */
export function writeShims({ root, testDir, projectFile, patterns, setup, shims }: ShimOptions): {
  shims: Shims;
  documents: string[];
} {
  const documents = findFiles(root, patterns, createRequire(import.meta.url));
  if (documents.length === 0)
    throw new Error(`No recipe matches ${patterns.map((pattern) => JSON.stringify(pattern)).join(', ')} in ${root}.`);
  const chosenShims = shims ?? (documents.length > maxShims ? 'folder' : 'document');
  // A shim is required, also in a package of modules: each import is asked of another thread, several times over.
  const register = `${projectFile}.cjs`;
  const files = new Map([
    [join(testDir, 'package.json'), '{"type":"commonjs"}\n'],
    [register, createRegisterText(setup)],
  ]);
  for (const [name, shimDocuments] of chosenShims === 'folder'
    ? groupByFolder(root, documents)
    : groupByDocument(root, documents)) {
    const shim = join(testDir, name);
    const index = chosenShims === 'folder' ? { index: indexFileOf(shim) } : {};
    const given = { files: shimDocuments, project: projectFile, title: createTitle(root, name, shimDocuments), ...index };
    files.set(shim, createShimText({ given, register, map: `${basename(shim)}.map` }));
    files.set(`${shim}.map`, createMapText(shim, shimDocuments));
  }
  writeChangedShims(testDir, files);
  return { shims: chosenShims, documents };
}

/** What reports call the test file: the document, or the folder of its documents and which part of them it is. */
function createTitle(root: string, name: string, [first = '']: readonly string[]): string {
  const [, part] = /\/(\d+)\.folder\.js$/.exec(name) ?? [];
  const path = relative(root, part === undefined ? first : dirname(first)).replaceAll('\\', '/') || 'recipes';
  return part === undefined || part === '1' ? path : `${path} (${part})`;
}

// What lies there is told by one digest: reading a thousand files to find them unchanged takes longer than all the rest.
function writeChangedShims(testDir: string, files: ReadonlyMap<string, string>): void {
  const digestFile = `${testDir}.digest`;
  const digest = sha256(JSON.stringify([...files]));
  if (readBytesIfThere(digestFile)?.toString() === digest) return;
  writeCacheFiles(files);
  pruneFiles(testDir, new Set([...files.keys(), ...[...files.keys()].map(indexFileOf)]));
  writeCacheFiles(new Map([[digestFile, digest]]));
}

function indexFileOf(shim: string): string {
  return `${shim}.index.json`;
}

function groupByDocument(root: string, documents: readonly string[]): Map<string, string[]> {
  return new Map(documents.map((document) => [createShimName(relative(root, document)), [document]]));
}

function groupByFolder(root: string, documents: readonly string[]): Map<string, string[]> {
  const shims = new Map<string, string[]>();
  const count = new Map<string, number>();
  const nameOf = memoize((dir) => encodePath(relative(root, dir)) || 'recipes');
  for (const document of documents) {
    const folder = nameOf(dirname(document));
    // Trace and video are settled for a whole test file, and a recipe with secrets has none.
    const needsOwnShim = prefetchText(document).includes('secret-ref');
    const place = count.get(folder) ?? 0;
    if (!needsOwnShim) count.set(folder, place + 1);
    const name = needsOwnShim
      ? createShimName(relative(root, document))
      : `${folder}/${Math.floor(place / maxDocumentsInShim) + 1}.folder.js`;
    const group = shims.get(name);
    if (group) group.push(document);
    else shims.set(name, [document]);
  }
  return shims;
}

/** Thousands of documents lie in a few folders. */
function memoize(compute: (dir: string) => string): (dir: string) => string {
  const known = new Map<string, string>();
  return (dir) => {
    const value = known.get(dir) ?? compute(dir);
    known.set(dir, value);
    return value;
  };
}

// One name per document, without what a sourceMappingURL or a relative path cannot hold: `recipes/a b.recipe.json` is `recipes/a%20b.recipe.js`.
function createShimName(document: string): string {
  const name = encodePath(document);
  return /\.(recipe|flows)\.json$/.test(name) ? name.replace(/\.json$/, '.js') : `${name}.js`;
}

function encodePath(path: string): string {
  const parts = path
    .split(/[\\/]/)
    .map((part) => (part === '..' ? '%2E%2E' : encodeURIComponent(part).replace(/[!'()*~]/g, percentEncode)));
  return parts.join('/');
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** What the shims of a project have in common. A setup module that has to be imported is waited for once: Playwright waits for what a test file exports. */
function createRegisterText(setup: string | undefined): string {
  const lines = [`const { registerDocuments } = require(${JSON.stringify(fileURLToPath(registerModule))});`];
  if (setup === undefined) lines.push('module.exports = (given) => registerDocuments(given, {});');
  else if (findModuleType(setup) === 'commonjs')
    lines.push(
      `const setup = require(${JSON.stringify(setup)});`,
      'module.exports = (given) => registerDocuments(given, setup);',
    );
  else
    lines.push(
      'let setup;',
      `const loading = import(${JSON.stringify(pathToFileURL(setup).href)}).then((loaded) => { setup = loaded; });`,
      'const register = (given) => registerDocuments(given, setup);',
      'module.exports = (given) => setup ? register(given) : loading.then(() => register(given));',
    );
  return `${lines.join('\n')}\n`;
}

type ShimParts = { given: object; register: string; map: string };

function createShimText({ given, register, map }: ShimParts): string {
  const text = JSON.stringify;
  return `module.exports = require(${text(register)})(${text(given)});\n//# sourceMappingURL=${map}\n`;
}

function createMapText(shim: string, documents: readonly string[]): string {
  const relativeFolder = memoize((dir) => relative(dirname(shim), dir).replaceAll('\\', '/'));
  const sources = documents.map((document) => `${relativeFolder(dirname(document))}/${basename(document)}`);
  return `${JSON.stringify({ version: 3, file: basename(shim), sources, names: [], mappings: 'AAAA' })}\n`;
}
