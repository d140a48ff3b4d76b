// What is stored is text; what a node writes and asserts on may be more.

/** Longer texts are cut: an output is read by people, and kept in the journal. */
const mostCharacters = 20_000;

export function storedText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

/** `json`: what the text says, when it spells an object or a list. */
export function shownValue(text: string): { value: string; json?: unknown; wasTruncated?: true } {
  if (text.length > mostCharacters) return { value: text.slice(0, mostCharacters), wasTruncated: true };
  const json = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  return json === undefined ? { value: text } : { value: text, json };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: a text that only begins like JSON.
    return undefined;
  }
}
