// Bytes as a terminal shows them: without the escape sequences that colour, move and link. They may stand between the characters of a secret.
export type Gap = { start: number; end: number };
/** `at[n]` is where the n-th visible byte stands. */
export type Visible = { bytes: Buffer; at: Uint32Array; gaps: readonly Gap[] };

const esc = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);
/** C1's one-character introducer, as UTF-8. */
const short = String.fromCharCode(0xc2, 0x9b);
/** How the escape character is written where it is not printed itself: JSON, our own printer, shells, C. */
const written = ['\\\\u001b', '\\u001b', '\\u{1b}', '\\x1b', '\\033', '\\e'];

const quote = (text: string): string => text.replace(/[\\{}]/g, '\\$&');
const control = '[0-?]{0,256}[ -/]{0,16}(?:[@-~]|$)';
const command = `[^${bell}${esc}]{0,4096}(?:${bell}|${esc}\\\\|${esc}?$)`;
const sequences = (strings: string, spellings = written): RegExp => {
  // A sequence that is cut off at the end counts: its rest may be on the way.
  const cutOff = [...new Set(spellings.flatMap((text) => [...text].map((_, at) => text.slice(0, at + 1))))];
  return new RegExp(
    [
      `${esc}(?:\\[${control}|[\\]PX^_]${strings}|[ -/]{0,16}(?:[0-Z\\\\^-~]|$))`,
      `${short}${control}`,
      `(?:${spellings.map(quote).join('|')})\\[${control}`,
      `(?:${cutOff.map(quote).join('|')}|\xc2)$`,
    ].join('|'),
    'gi',
  );
};
// A title or a link is text that somebody may read, and one that does not end may be none: so it is looked at with it and without.
const whole = sequences(command);
const openers = sequences('');
// The first of two backslashes may also be the last character of what stands before a sequence.
const [doubled = '', ...single] = written;
const afterBackslash = sequences(command, single);

/** Every way to see the bytes besides as they are; none when everything is visible. */
export function visibleBytes(bytes: Buffer): Visible[] {
  if (!bytes.includes(0x1b) && !bytes.includes(0x5c) && !bytes.includes(0xc2)) return [];
  const text = bytes.toString('latin1');
  const gaps = gapsIn(text, whole);
  if (gaps.length === 0) return [];
  const views = [without(bytes, gaps)];
  if (new RegExp(`${esc}[\\]PX^_]`, 'i').test(text)) views.push(without(bytes, gapsIn(text, openers)));
  if (text.toLowerCase().includes(doubled)) views.push(without(bytes, gapsIn(text, afterBackslash)));
  return views;
}

function gapsIn(text: string, pattern: RegExp): Gap[] {
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

function without(bytes: Buffer, gaps: readonly Gap[]): Visible {
  const shown = Buffer.allocUnsafe(bytes.length);
  const at = new Uint32Array(bytes.length);
  let count = 0;
  let from = 0;
  for (const { start, end } of [...gaps, { start: bytes.length, end: bytes.length }]) {
    bytes.copy(shown, count, from, start);
    for (let place = from; place < start; place++) at[count++] = place;
    from = end;
  }
  return { bytes: shown.subarray(0, count), at: at.subarray(0, count), gaps };
}
