// Writes shims: small test files that stand for documents, so that Playwright finds a recipe by the name of its document.
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { findFiles, pruneFiles, readBytesIfThere, sha256 } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';
import { createMapText, createRegisterText, createShimText } from './internals/shimText.js';
import { prefetchText } from './prefetchDocument.js';

/** Whether each document, or each folder of documents, gets one test file. */
export type Shims = 'document' | 'folder';

type ShimOptions = {
  /** The folder that the patterns are relative to. */
  root: string;
  testDir: string;
  projectFile: string;
  patterns: readonly string[];
  setup: string | undefined;
  shims: Shims | undefined;
};

/** One test file: its name, the title that reports show, and its documents. */
type Shim = { name: string; title: string; documents: string[] };

const maxShims = 500;
const maxDocumentsInShim = 250;

/** Without the option `shims`, chooses by the number of documents: each file takes time, but a folder does not show which test belongs to which document. */
export function writeShims({ root, testDir, projectFile, patterns, setup, shims: requestedShims }: ShimOptions): {
  shims: Shims;
  documents: string[];
} {
  const documents = findFiles(root, patterns, createRequire(import.meta.url));
  if (documents.length === 0)
    throw new Error(`No recipe matches ${patterns.map((pattern) => JSON.stringify(pattern)).join(', ')} in ${root}.`);
  const shims = requestedShims ?? (documents.length > maxShims ? 'folder' : 'document');
  // Shims are CommonJS, even in a package of type "module", because each ES import costs several messages to another thread.
  const register = `${projectFile}.cjs`;
  const files = new Map([
    [join(testDir, 'package.json'), '{"type":"commonjs"}\n'],
    [register, createRegisterText(setup)],
  ]);
  for (const shim of shims === 'folder' ? groupByFolder(root, documents) : groupByDocument(root, documents)) {
    const file = join(testDir, shim.name);
    const shimDocuments = {
      files: shim.documents,
      project: projectFile,
      title: shim.title,
      ...(shims === 'folder' ? { index: toIndexFile(file) } : {}),
    };
    files.set(file, createShimText({ documents: shimDocuments, register, map: `${basename(file)}.map` }));
    files.set(`${file}.map`, createMapText(file, shim.documents));
  }
  writeChangedShims(testDir, files);
  return { shims, documents };
}

// Compares one digest of all files, because reading a thousand unchanged files takes longer than all other work.
function writeChangedShims(testDir: string, files: ReadonlyMap<string, string>): void {
  const digestFile = `${testDir}.digest`;
  const digest = sha256(JSON.stringify([...files]));
  if (readBytesIfThere(digestFile)?.toString() === digest) return;
  writeCacheFiles(files);
  pruneFiles(testDir, new Set([...files.keys(), ...[...files.keys()].map(toIndexFile)]));
  writeCacheFiles(new Map([[digestFile, digest]]));
}

function toIndexFile(shim: string): string {
  return `${shim}.index.json`;
}

function groupByDocument(root: string, documents: readonly string[]): Shim[] {
  return documents.map((document) => createDocumentShim(root, document));
}

function createDocumentShim(root: string, document: string): Shim {
  const path = relative(root, document);
  return { name: createShimName(path), title: path.replaceAll('\\', '/'), documents: [document] };
}

function groupByFolder(root: string, documents: readonly string[]): Shim[] {
  const shims: Shim[] = [];
  const encodeFolder = cacheResults((folder) => encodePath(relative(root, folder)) || 'recipes');
  const lastParts = new Map<string, { part: number; shim: Shim }>();
  for (const document of documents) {
    // Playwright configures trace and video per test file, and both are off for a recipe with secrets.
    if (prefetchText(document).includes('secret-ref')) {
      shims.push(createDocumentShim(root, document));
      continue;
    }
    const folder = encodeFolder(dirname(document));
    const last = lastParts.get(folder);
    if (last && last.shim.documents.length < maxDocumentsInShim) {
      last.shim.documents.push(document);
      continue;
    }
    const part = (last?.part ?? 0) + 1;
    const shim = { name: `${folder}/${part}.folder.js`, title: createFolderTitle(root, document, part), documents: [document] };
    lastParts.set(folder, { part, shim });
    shims.push(shim);
  }
  return shims;
}

/** Returns the folder of a document, with the number of the part when the folder has several test files. */
function createFolderTitle(root: string, document: string, part: number): string {
  const path = relative(root, dirname(document)).replaceAll('\\', '/') || 'recipes';
  return part === 1 ? path : `${path} (${part})`;
}

/** Computes each result once, because thousands of documents are in few folders. */
function cacheResults(compute: (folder: string) => string): (folder: string) => string {
  const results = new Map<string, string>();
  return (folder) => {
    const result = results.get(folder) ?? compute(folder);
    results.set(folder, result);
    return result;
  };
}

/** Encodes the characters that a sourceMappingURL or a relative path cannot contain: `recipes/a b.recipe.json` becomes `recipes/a%20b.recipe.js`. */
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
