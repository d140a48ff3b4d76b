// Parses the content of a recipe file, in JSON or in Markdown.
import type { Finding } from '../../document/finding.js';
import { type Document, type DocumentRead, readDocument } from '../../document/readDocument.js';
import type { RawRecipe } from './model.js';
import { isObject } from './model.js';
import { readCompatMarkdown } from './readCompatMarkdown.js';
import { readMarkdown } from './readMarkdown.js';

/** Only the strict parser sets `document` and `findings`. */
export type ParsedText = { raw?: RawRecipe; diagnosis?: string; document?: Document; findings?: readonly Finding[] };

export function parseRecipeText(file: string, bytes: Uint8Array, { compat }: { compat: boolean }): ParsedText {
  if (!compat) return toParsedText(readTemplateDocument(file, bytes));
  const text = Buffer.from(bytes).toString('utf8');
  return diagnoseRecipe(isMarkdown(file) ? readCompatMarkdown(text) : readJson(text));
}

/** Parses JSON or Markdown strictly, with positions. */
function readTemplateDocument(file: string, bytes: Uint8Array): DocumentRead {
  return isMarkdown(file) ? readMarkdown(file, bytes) : readDocument(file, bytes);
}

export function toParsedText({ document, findings }: DocumentRead): ParsedText {
  if (!document) return { findings, diagnosis: findings[0]?.message ?? 'the file is empty' };
  const result = isObject(document.value) ? document.value : 'JSON recipe must be an object';
  return { ...diagnoseRecipe(result), document, findings };
}

function diagnoseRecipe(result: RawRecipe | string): ParsedText {
  if (typeof result === 'string') return { diagnosis: result };
  return result.template === undefined ? { diagnosis: 'recipe must define template' } : { raw: result };
}

function isMarkdown(file: string): boolean {
  return /\.md$/i.test(file);
}

function readJson(text: string): RawRecipe | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'JSON recipe must be an object';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
