// Reads modern recipes for tests, from files or from memory, with their libraries.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../../../src/document/finding.js';
import { type Document, readDocument } from '../../../../src/document/readDocument.js';
import { joinLibraries, taskLocalLibrary } from '../../../../src/formats/modern/library.js';
import { schemaUrl } from '../../../../src/formats/modern/model.js';
import type { ResolveDocument } from '../../../../src/recipe/recipe.js';

export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));
export const corpus = join(projectRoot, '../shared/corpus/recipe-v1');
export const resolveNothing: ResolveDocument = () => ({});

export function readFile(file: string): Document {
  return parse(file, readFileSync(file, 'utf8'));
}

export function parse(file: string, text: string): Document {
  const { document, findings } = readDocument(file, Buffer.from(text));
  if (!document) throw new Error(findings.map(({ message }) => message).join('\n'));
  return document;
}

/** Finds the called recipes of a recipe in the folder `recipe-library/` next to it, or in another library. */
export function libraryOf(file: string, root = join(dirname(file), taskLocalLibrary.folder)): ResolveDocument {
  const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
  const { recipes } = joinLibraries([{ name: taskLocalLibrary.name, root, files }]);
  return (ref) => {
    const recipe = recipes.get(ref);
    return recipe ? { document: readFile(recipe.file) } : { problem: 'no library has a recipe with this id.' };
  };
}

export type Nodes = Record<string, Record<string, unknown>>;

export const done = { action: 'end', status: 'pass' };
export const echo = (rest: object = {}) => ({
  action: 'command',
  intent: 'Print a word',
  argv: ['echo'],
  next: 'done',
  ...rest,
});

/** Creates a recipe with the given nodes. The first node is the entry. */
export function modern(nodes: Nodes, { workflow = {}, ...top }: { workflow?: object; [key: string]: unknown } = {}): object {
  return { $schema: schemaUrl, ...top, workflow: { entry: Object.keys(nodes)[0], nodes: { ...nodes, done }, ...workflow } };
}

/** Creates recipes in memory. The first recipe can call the others by their names. */
export function inMemory(recipes: Record<string, object>): { document: Document; resolve: ResolveDocument } {
  const documents = new Map(
    Object.entries(recipes).map(([name, json]) => [name, parse(`/lib/${name}.recipe.json`, JSON.stringify(json, null, 2))]),
  );
  const [document] = documents.values();
  if (!document) throw new Error('There is no recipe.');
  return { document, resolve: (ref) => ({ ...(documents.has(ref) ? { document: documents.get(ref) as Document } : {}) }) };
}

/** Formats a finding as its code, its file and the authored text at its position. */
export function formatFinding({ code, place }: Finding, base: string): string {
  const line = readFileSync(place.file, 'utf8').split('\n')[place.line - 1] ?? '';
  return `${code}  ${relative(base, place.file)}:${place.line}  ${line.slice(place.column - 1)}`;
}
