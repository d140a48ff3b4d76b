// Escapes texts of recipes, for Markdown and for shell commands that users copy.

import { oneLine } from '../document/printFinding.js';

/** The text must not be read as a table, a link, an image, a mention or HTML. */
export function escapeMarkdown(text: string): string {
  return (
    oneLine(text)
      .replaceAll(/[\\`*_{}[\]()+!|~]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // GitHub looks for mentions after it has removed backslashes. Only a character in between prevents them.
      .replaceAll(/[@#]/g, '$&&#8203;')
  );
}

/** Quotes a text as one word of a shell command. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
