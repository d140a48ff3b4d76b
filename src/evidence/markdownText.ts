// What a recipe says, inside of Markdown that we write.
import { oneLine } from '../document/printFinding.js';

/** Nothing of it may look like a table, a link, a picture, a mention or HTML. */
export function markdownText(text: string): string {
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
