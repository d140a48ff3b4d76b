// What a recipe says, inside of Markdown that we write.
import { oneLine } from '../document/printFinding.js';

/** Nothing of it may look like a table, a link, a picture, a mention or HTML. */
export function escapeMarkdown(text: string): string {
  return (
    oneLine(text)
      .replaceAll(/[\\`*_{}[\]()+!|~]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // GitHub looks for people and issues after the backslashes are gone: only a character in between stops it.
      .replaceAll(/[@#]/g, '$&&#8203;')
  );
}

// A text as one word of a command that is shown to be copied.
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
