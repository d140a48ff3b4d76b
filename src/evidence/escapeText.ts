// Escapes strings of recipes for Markdown, and for shell commands that users copy.

import { oneLine } from '../document/printFinding.js';

/** Escapes a string so that Markdown does not read it as a table, a link, an image, a mention or HTML. */
export function escapeMarkdown(text: string): string {
  return (
    oneLine(text)
      .replaceAll(/[\\`*_{}[\]()+!|~]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // GitHub looks for mentions after it has removed backslashes, so a character of width 0 goes between "@" and the name.
      .replaceAll(/[@#]/g, '$&&#8203;')
  );
}

/** Quotes a string as one word of a shell command. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
