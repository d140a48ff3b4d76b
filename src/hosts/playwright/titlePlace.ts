// Where the title of a document stands, without working out where everything else does: lists need nothing more.
import type { Place } from '../../document/finding.js';
import { closingQuote } from '../../document/outlineText.js';
import type { Document } from '../../document/readDocument.js';

/** The key "title" of the root, which some formats call "name", or the beginning of the document. */
export function titlePlace({ file, text }: Document): Place {
  const offset = keyOffset(text, 'title') ?? keyOffset(text, 'name') ?? Math.max(text.indexOf('{'), 0);
  const before = text.slice(0, offset);
  return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

// The text is known to be JSON: a string that a colon follows is a key.
function keyOffset(text: string, key: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === '"') {
      const end = closingQuote(text, at);
      if (depth === 1 && text.startsWith(`"${key}"`, at) && /^\s*:/.test(text.slice(end + 1, end + 100))) return at;
      at = end;
    }
  }
  return undefined;
}
