// Masks secrets in a stream of bytes. A secret may begin in one chunk and end in a later one.
import type { Hit, Matcher } from './matcher.js';

export type StreamMasker = {
  /** Returns masked bytes. Keeps back the bytes at the end that may be the beginning of a secret. */
  write(chunk: Buffer): Buffer;
  /** Returns the bytes that were kept back. */
  end(): Buffer;
  /** The names of the secrets that were found so far. */
  readonly found: ReadonlySet<string>;
};

export const noopStreamMasker: StreamMasker = { write: (chunk) => chunk, end: () => Buffer.alloc(0), found: new Set() };

export type MaskSet = { matcher: Matcher; names: readonly string[]; masks: readonly Buffer[] };

export function openStreamMasker({ matcher, names, masks }: MaskSet): StreamMasker {
  const found = new Set<string>();
  let pending = Buffer.alloc(0);
  let maskedAhead = 0;
  const mask = (label: number): Buffer => masks[label] as Buffer;
  const advance = (bytes: Buffer, located: SecretLocations, to: number): Buffer => {
    const rendered = renderMasked(bytes, located.hits, { maskedAhead, to, mask });
    maskedAhead = rendered.maskedAhead;
    for (const { start, label } of located.hits) if (start < to) found.add(names[label] as string);
    // Copied, because the owner of the chunk may reuse its memory.
    pending = Buffer.from(bytes.subarray(to));
    return rendered.pieces.length === 1 ? (rendered.pieces[0] as Buffer) : Buffer.concat(rendered.pieces);
  };
  return {
    found,
    write(chunk) {
      const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const located = locateSecrets(matcher, bytes);
      return advance(bytes, located, findCertainEnd(matcher, bytes, located));
    },
    end: () => advance(pending, locateSecrets(matcher, pending), pending.length),
  };
}

/** Returns the end of the bytes whose masks no later byte can change. */
function findCertainEnd(matcher: Matcher, bytes: Buffer, { views, masks }: SecretLocations): number {
  const gaps = views.flatMap((view) => view.gaps);
  const undecided = views.map((view) => view.at[matcher.findUndecided(view.bytes)] ?? bytes.length);
  // An escape sequence at the end of the bytes may continue in the next chunk.
  const open = gaps.filter(({ end }) => end === bytes.length).map(({ start }) => start);
  let to = Math.min(matcher.findUndecided(bytes), ...undecided, ...open);
  const uncuttable = [...masks, ...gaps];
  // A mask or an escape sequence must not be cut.
  for (let cut = uncuttable.find(isCut); cut; cut = uncuttable.find(isCut)) to = cut.start;
  return to;

  function isCut({ start, end }: { start: number; end: number }): boolean {
    return start < to && to < end;
  }
}

/** The label of text that is a mask already. A hit inside a mask is not a secret. */
export const maskLabel = -1;

export type SecretLocations = { hits: readonly Hit[]; masks: readonly Gap[]; views: readonly VisibleView[] };

export function locateSecrets(matcher: Matcher, bytes: Buffer): SecretLocations {
  const views = findVisibleBytes(bytes);
  const plainHits = matcher.scan(bytes);
  const visibleHits = views.flatMap((view) => findVisibleHits(matcher, view));
  const all =
    visibleHits.length === 0 ? plainHits : [...plainHits, ...visibleHits].sort((a, b) => a.start - b.start || b.end - a.end);
  if (all.length === 0) return { hits: all, masks: [], views };
  const masks = all.filter(({ label }) => label === maskLabel);
  return { hits: all.filter(createOutsideFilter(masks)), masks, views };
}

function findVisibleHits(matcher: Matcher, { bytes, at }: VisibleView): Hit[] {
  return matcher
    .scan(bytes)
    .map(({ start, end, label }) => ({ start: at[start] as number, end: (at[end - 1] as number) + 1, label }));
}

// Hits and masks are sorted, and masks do not overlap.
function createOutsideFilter(masks: readonly Gap[]): (hit: Hit) => boolean {
  let next = 0;
  return ({ start, end, label }) => {
    while (next < masks.length && (masks[next] as Gap).end <= start) next++;
    const mask = masks[next];
    return label !== maskLabel && !(mask && mask.start <= start && end <= mask.end);
  };
}

export type MaskedBytes = { pieces: Buffer[]; maskedAhead: number };

/**
 * Masks the bytes up to `to`. A mask may replace bytes of two calls: `maskedAhead` of the range is the number of first bytes that the last
 * mask of the previous call replaces. `maskedAhead` of the result is the same number for the next call.
 */
export function renderMasked(
  bytes: Buffer,
  hits: readonly Hit[],
  range: { maskedAhead: number; to: number; mask(label: number): Buffer },
): MaskedBytes {
  const pieces: Buffer[] = [];
  let done = range.maskedAhead;
  for (const { start, end, label } of hits) {
    if (start >= range.to) break;
    // Overlapping hits share the mask of the first one.
    if (start >= done) pieces.push(bytes.subarray(done, start), range.mask(label));
    done = Math.max(done, end);
  }
  if (done < range.to) pieces.push(bytes.subarray(done, range.to));
  return { pieces, maskedAhead: Math.max(0, done - range.to) };
}

/** An escape sequence of a terminal. It may be between the characters of a secret. */
type Gap = { start: number; end: number };
/** The bytes that a terminal shows. `at[n]`: the offset of the n-th visible byte. */
type VisibleView = { bytes: Buffer; at: Uint32Array; gaps: readonly Gap[] };

const esc = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);
/** The C1 control character that begins a sequence, in UTF-8. */
const c1Introducer = String.fromCharCode(0xc2, 0x9b);
/** Spellings of the escape character in JSON, in the output of recipewright, in shells and in C. */
const escapeSpellings = ['\\\\u001b', '\\u001b', '\\u{1b}', '\\x1b', '\\033', '\\e'];

const escapePattern = (text: string): string => text.replace(/[\\{}]/g, '\\$&');
const controlSequence = '[0-?]{0,256}[ -/]{0,16}(?:[@-~]|$)';
const stringSequence = `[^${bell}${esc}]{0,4096}(?:${bell}|${esc}\\\\|${esc}?$)`;
const createSequencePattern = (strings: string, spellings = escapeSpellings): RegExp => {
  // An incomplete sequence at the end counts, because its rest may follow in the next chunk.
  const cutOff = [...new Set(spellings.flatMap((text) => [...text].map((_, at) => text.slice(0, at + 1))))];
  return new RegExp(
    [
      `${esc}(?:\\[${controlSequence}|[\\]PX^_]${strings}|[ -/]{0,16}(?:[0-Z\\\\^-~]|$))`,
      `${c1Introducer}${controlSequence}`,
      `(?:${spellings.map(escapePattern).join('|')})\\[${controlSequence}`,
      `(?:${cutOff.map(escapePattern).join('|')}|\xc2)$`,
    ].join('|'),
    'gi',
  );
};
// The text of a title or a link is readable, and a title without an end may not be a sequence at all. The bytes are therefore searched
// both without and with that text.
const wholeSequences = createSequencePattern(stringSequence);
const openingSequences = createSequencePattern('');
// With two backslashes, the first one may belong to the text before the sequence.
const [doubled = '', ...singleBackslash] = escapeSpellings;
const afterBackslash = createSequencePattern(stringSequence, singleBackslash);

/** Returns the bytes without escape sequences, once for each possible way to read the sequences. Empty without sequences. */
function findVisibleBytes(bytes: Buffer): VisibleView[] {
  if (!bytes.includes(0x1b) && !bytes.includes(0x5c) && !bytes.includes(0xc2)) return [];
  const text = bytes.toString('latin1');
  const gaps = findGaps(text, wholeSequences);
  if (gaps.length === 0) return [];
  const views = [removeGaps(bytes, gaps)];
  if (new RegExp(`${esc}[\\]PX^_]`, 'i').test(text)) views.push(removeGaps(bytes, findGaps(text, openingSequences)));
  if (text.toLowerCase().includes(doubled)) views.push(removeGaps(bytes, findGaps(text, afterBackslash)));
  return views;
}

function findGaps(text: string, pattern: RegExp): Gap[] {
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

function removeGaps(bytes: Buffer, gaps: readonly Gap[]): VisibleView {
  const visible = Buffer.allocUnsafe(bytes.length);
  const at = new Uint32Array(bytes.length);
  let count = 0;
  let from = 0;
  for (const { start, end } of [...gaps, { start: bytes.length, end: bytes.length }]) {
    bytes.copy(visible, count, from, start);
    for (let offset = from; offset < start; offset++) at[count++] = offset;
    from = end;
  }
  return { bytes: visible.subarray(0, count), at: at.subarray(0, count), gaps };
}
