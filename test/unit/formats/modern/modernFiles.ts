// Modern recipes in files or in memory, with the library that lies next to them.
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
export const none: ResolveDocument = () => ({});

export function readFile(file: string): Document {
  return parse(file, readFileSync(file, 'utf8'));
}

export function parse(file: string, text: string): Document {
  const { document, findings } = readDocument(file, Buffer.from(text));
  if (!document) throw new Error(findings.map(({ message }) => message).join('\n'));
  return document;
}

/** Finds what a recipe calls in `recipe-library/` beside it, or in the library that is given. */
export function libraryOf(file: string, root = join(dirname(file), taskLocalLibrary.folder)): ResolveDocument {
  const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
  const { recipes } = joinLibraries([{ name: taskLocalLibrary.name, root, files }]);
  return (ref) => {
    const found = recipes.get(ref);
    return found ? { document: readFile(found.file) } : { problem: 'no library has it.' };
  };
}

export type Nodes = Record<string, Record<string, unknown>>;

export const done = { action: 'end', status: 'pass' };
export const echo = (rest: object = {}) => ({
  action: 'command',
  intent: 'Say what is to be said',
  argv: ['echo'],
  next: 'done',
  ...rest,
});

/** A recipe around some nodes, the first of which is the entry. */
export function modern(nodes: Nodes, { workflow = {}, ...top }: { workflow?: object; [key: string]: unknown } = {}): object {
  return { $schema: schemaUrl, ...top, workflow: { entry: Object.keys(nodes)[0], nodes: { ...nodes, done }, ...workflow } };
}

/** The first recipe calls the others by their names. */
export function inMemory(recipes: Record<string, object>): { document: Document; resolve: ResolveDocument } {
  const documents = new Map(
    Object.entries(recipes).map(([name, json]) => [name, parse(`/lib/${name}.recipe.json`, JSON.stringify(json, null, 2))]),
  );
  const [document] = documents.values();
  if (!document) throw new Error('There is no recipe.');
  return { document, resolve: (ref) => ({ ...(documents.has(ref) ? { document: documents.get(ref) as Document } : {}) }) };
}

/** A finding as a person finds it: the code, the file and what is written there. */
export function shown({ code, place }: Finding, base: string): string {
  const line = readFileSync(place.file, 'utf8').split('\n')[place.line - 1] ?? '';
  return `${code}  ${relative(base, place.file)}:${place.line}  ${line.slice(place.column - 1)}`;
}
