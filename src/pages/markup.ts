// Text from a recipe on its way into HTML or SVG: it stays text, whatever it holds.

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Nothing in it has to be spelt otherwise, which is true of most texts and quickly seen. */
const harmless = /^[\n\t !$%(-;=?-~]*$/;

/** Control and bidirectional characters are spelt out: XML forbids the one, and the other would turn a sentence around. */
export function markup(text: string): string {
  if (harmless.test(text)) return text;
  // Printed in a CI, "##[" would be a command wherever it stands.
  return visible(text)
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)
    .replaceAll('##', '&#35;&#35;');
}

/** The same on one line, for pictures: a line of a recipe that begins with "::" would be a command in a CI. */
export function label(text: string): string {
  return markup(text.replace(/\s+/g, ' ').trim());
}

// Characters that nobody has assigned yet stay: which those are, every version of Node knows otherwise.
export function visible(text: string): string {
  return text.replace(
    /[\u2028\u2029]|[\p{Cf}\p{Cs}\p{Co}]|(?![\n\t])\p{Cc}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

/** A relative path as the target of a link or the source of a picture. */
export function href(path: string): string {
  const parts = path.split('/').map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')));
  // "a:b" at the beginning would be taken for a scheme.
  return markup(`./${parts.join('/')}`);
}

/** An id that a link can name, the same for the same text; ids of nodes may hold anything. */
export function anchor(prefix: string, text: string): string {
  return `${prefix}-${text.replace(/[^A-Za-z0-9-]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`)}`;
}
