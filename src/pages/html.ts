// HTML as a value of its own: what is put into it is text unless it is HTML already.

export class Html {
  constructor(readonly text: string) {}
}

type Piece = Html | string | number | undefined | false | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (let index = 0; index < pieces.length; index++) text += pieceText(pieces[index]) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** For what we wrote ourselves: styles, scripts, drawings. */
export function raw(text: string): Html {
  return new Html(text);
}

function pieceText(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(pieceText).join('');
  return piece === undefined || piece === false ? '' : escapeMarkup(String(piece));
}

// Text from a recipe on its way into HTML or SVG: it stays text, whatever it holds.

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Nothing in it has to be spelt otherwise, which is true of most texts and quickly seen. */
const needsNoEscape = /^[\n\t !$%(-;=?-~]*$/;

/** Control and bidirectional characters are spelt out: XML forbids the one, and the other would turn a sentence around. */
export function escapeMarkup(text: string): string {
  if (needsNoEscape.test(text)) return text;
  // Printed in a CI, "##[" would be a command wherever it stands.
  return escapeInvisible(text)
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)
    .replaceAll('##', '&#35;&#35;');
}

/** The same on one line, for pictures: a line of a recipe that begins with "::" would be a command in a CI. */
export function escapeLabel(text: string): string {
  return escapeMarkup(text.replace(/\s+/g, ' ').trim());
}

// Characters that nobody has assigned yet stay: which those are, every version of Node knows otherwise.
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\u2028\u2029]|[\p{Cf}\p{Cs}\p{Co}]|(?![\n\t])\p{Cc}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

/** A relative path as the target of a link or the source of a picture. */
export function href(path: string): string {
  const parts = path.split('/').map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')));
  // "a:b" at the beginning would be taken for a scheme.
  return escapeMarkup(`./${parts.join('/')}`);
}

/** An id that a link can name, the same for the same text; ids of nodes may hold anything. */
export function anchor(prefix: string, text: string): string {
  return `${prefix}-${text.replace(/[^A-Za-z0-9-]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`)}`;
}
