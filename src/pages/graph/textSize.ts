// How wide a text will be, without a browser to ask: a little too wide rather than too narrow.

const narrow = /[iljtfr.,:;'|!()[\]{}/ -]/;
const broad = /[A-Zw&]/;
const broadest = /[mMW@%—…→◆▸]/;

/** As wide as the broadest of the common fonts, which is DejaVu Sans. */
export function textWidth(text: string, { size, bold = false }: Pick<Fit, 'size' | 'bold'>): number {
  let ems = 0;
  for (const char of text) ems += widthOf(char);
  return ems * size * (bold ? 1.12 : 1);
}

function widthOf(char: string): number {
  if ((char.codePointAt(0) ?? 0) >= 0x1100) return 1.1;
  if (narrow.test(char)) return 0.4;
  if (broadest.test(char)) return 1;
  return broad.test(char) ? 0.82 : 0.64;
}

export type Fit = { size: number; width: number; lines: number; bold?: boolean };

/** At most so many lines of so much width; what is left out is marked by an ellipsis. */
export function wrapText(text: string, fit: Fit): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text
    .trim()
    .split(/\s+/)
    .flatMap((long) => pieces(long, fit))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, fit) > fit.width) {
      lines.push(line);
      line = word;
    } else line = longer;
    if (lines.length > fit.lines) break;
  }
  lines.push(line);
  if (lines.length <= fit.lines) return lines;
  const kept = lines.slice(0, fit.lines);
  return [...kept.slice(0, -1), shorten(`${kept.at(-1)} …`, fit)];
}

function shorten(text: string, fit: Fit): string {
  let chars = [...text.replace(/ …$/, '')];
  while (chars.length > 0 && textWidth(`${chars.join('')}…`, fit) > fit.width) chars = chars.slice(0, -1);
  return `${chars.join('')}…`;
}

// A word that is wider than a line is broken wherever it has to be.
function pieces(word: string, fit: Fit): string[] {
  if (textWidth(word, fit) <= fit.width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const char of word) {
    if (parts.length > fit.lines) break;
    if (textWidth(part + char, fit) > fit.width) {
      parts.push(part);
      part = '';
    }
    part += char;
  }
  return [...parts, part];
}
