// The bytes of a recipe file to what its author wrote, in JSON or in Markdown.
import type { Finding } from '../../document/finding.js';
import { type Document, type DocumentRead, readDocument } from '../../document/readDocument.js';
import { readLooseMarkdown } from './markdownRecipe.js';
import { readMarkdown } from './readMarkdown.js';
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

/** `findings` and `document` are there when it was read strictly. */
export type ParsedText = { raw?: Raw; diagnosis?: string; document?: Document; findings?: readonly Finding[] };

export function parseRecipeText(file: string, bytes: Uint8Array, { compat }: { compat: boolean }): ParsedText {
  if (!compat) return fromRead(readTemplate(file, bytes));
  const text = Buffer.from(bytes).toString('utf8');
  return diagnosed(isMarkdown(file) ? readLooseMarkdown(text) : readJson(text));
}

/** A document of either kind, with places. */
export function readTemplate(file: string, bytes: Uint8Array): DocumentRead {
  return isMarkdown(file) ? readMarkdown(file, bytes) : readDocument(file, bytes);
}

export function fromRead({ document, findings }: DocumentRead): ParsedText {
  if (!document) return { findings, diagnosis: findings[0]?.message ?? 'the file is empty' };
  const read = isObject(document.value) ? document.value : 'JSON recipe must be an object';
  return { ...diagnosed(read), document, findings };
}

function diagnosed(read: Raw | string): ParsedText {
  if (typeof read === 'string') return { diagnosis: read };
  return read.template === undefined ? { diagnosis: 'recipe must define template' } : { raw: read };
}

export function isMarkdown(file: string): boolean {
  return /\.md$/i.test(file);
}

function readJson(text: string): Raw | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'JSON recipe must be an object';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
