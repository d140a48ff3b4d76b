// HTML as a value of its own: what is put into it is text unless it is HTML already.
import { markup } from './markup.js';

export class Html {
  constructor(readonly text: string) {}
}

export type Piece = Html | string | number | undefined | false | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (let index = 0; index < pieces.length; index++) text += asText(pieces[index]) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** For what we wrote ourselves: styles, scripts, drawings. */
export function raw(text: string): Html {
  return new Html(text);
}

function asText(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(asText).join('');
  return piece === undefined || piece === false ? '' : markup(String(piece));
}
