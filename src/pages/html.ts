// A type for HTML. The template tag `html` escapes strings, and inserts `Html` values unchanged.

export class Html {
  constructor(readonly text: string) {}
}

type Piece = Html | string | number | undefined | false | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (let index = 0; index < pieces.length; index++) text += pieceText(pieces[index]) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** Marks a string as HTML without escaping it. Use it only for styles, scripts and pictures that recipewright created. */
export function raw(text: string): Html {
  return new Html(text);
}

function pieceText(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(pieceText).join('');
  return piece === undefined || piece === false ? '' : escapeMarkup(String(piece));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Most strings match, so they need no replacements. */
const needsNoEscape = /^[\n\t !$%(-;=?-~]*$/;

/**
 * Escapes a string for HTML and SVG. Control characters, which XML forbids, and bidirectional characters, which would reverse the
 * text around them, are written as codes.
 */
export function escapeMarkup(text: string): string {
  if (needsNoEscape.test(text)) return text;
  // In the log of a CI, "##[" starts a command anywhere in a line.
  return escapeInvisible(text)
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)
    .replaceAll('##', '&#35;&#35;');
}

/** Escapes a string into one line, for SVG. In the log of a CI, a line that begins with "::" is a command. */
export function escapeLabel(text: string): string {
  return escapeMarkup(text.replace(/\s+/g, ' ').trim());
}

// Does not escape unassigned characters, because each version of Node knows other ones.
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\u2028\u2029]|[\p{Cf}\p{Cs}\p{Co}]|(?![\n\t])\p{Cc}/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

/** Escapes a relative path for the target of a link or the source of a picture. */
export function href(path: string): string {
  const parts = path.split('/').map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')));
  // Without "./", a path that begins with "a:b" would have a URL scheme.
  return escapeMarkup(`./${parts.join('/')}`);
}

/** Creates an id to which links can point. The id of a node can have any character, so characters that HTML ids cannot have are encoded. */
export function anchor(prefix: string, text: string): string {
  return `${prefix}-${text.replace(/[^A-Za-z0-9-]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`)}`;
}
