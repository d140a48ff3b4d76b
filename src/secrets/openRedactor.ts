// Masks secrets in a stream of bytes, however it is cut into chunks.
import type { Hit, Matcher } from './matcher.js';

export type Redactor = {
  /** Returns masked bytes. Holds back those that may still become a secret. */
  write(chunk: Buffer): Buffer;
  /** Returns the rest. */
  end(): Buffer;
  /** The names of the secrets so far. */
  readonly found: ReadonlySet<string>;
};

export const noopRedactor: Redactor = { write: (chunk) => chunk, end: () => Buffer.alloc(0), found: new Set() };

export type MaskSet = { matcher: Matcher; names: readonly string[]; masks: readonly Buffer[] };

export function openRedactor({ matcher, names, masks }: MaskSet): Redactor {
  const found = new Set<string>();
  let pending = Buffer.alloc(0);
  let covered = 0;
  const mask = (label: number): Buffer => masks[label] as Buffer;
  const advance = (bytes: Buffer, located: SecretLocations, to: number): Buffer => {
    const rendered = renderMasked(bytes, located.hits, { covered, to, mask });
    covered = rendered.covered;
    for (const { start, label } of located.hits) if (start < to) found.add(names[label] as string);
    // A copy, because the owner of the chunk may reuse it.
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

/** The end of the bytes whose masks no later byte can change. */
function findCertainEnd(matcher: Matcher, bytes: Buffer, { views, masks }: SecretLocations): number {
  const gaps = views.flatMap((view) => view.gaps);
  const undecided = views.map((view) => view.at[matcher.findUndecided(view.bytes)] ?? bytes.length);
  // A sequence at the very end may continue in the next chunk.
  const open = gaps.filter(({ end }) => end === bytes.length).map(({ start }) => start);
  let to = Math.min(matcher.findUndecided(bytes), ...undecided, ...open);
  const whole = [...masks, ...gaps];
  // A mask or an escape sequence must not be cut.
  for (let cut = whole.find(inside); cut; cut = whole.find(inside)) to = cut.start;
  return to;

  function inside({ start, end }: { start: number; end: number }): boolean {
    return start < to && to < end;
  }
}

/** The label of a mask. A hit inside a mask is no secret. */
export const maskLabel = -1;

export type SecretLocations = { hits: readonly Hit[]; masks: readonly Gap[]; views: readonly VisibleView[] };

export function locateSecrets(matcher: Matcher, bytes: Buffer): SecretLocations {
  const views = findVisibleBytes(bytes);
  const plain = matcher.scan(bytes);
  const visible = views.flatMap((view) => findVisibleHits(matcher, view));
  const found = visible.length === 0 ? plain : [...plain, ...visible].sort((a, b) => a.start - b.start || b.end - a.end);
  if (found.length === 0) return { hits: found, masks: [], views };
  const masks = found.filter(({ label }) => label === maskLabel);
  return { hits: found.filter(createOutsideFilter(masks)), masks, views };
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

export type MaskedBytes = { pieces: Buffer[]; covered: number };

/** Renders the bytes up to `to`. `covered`: how many of the first bytes, and in the result of those after `to`, an earlier mask stands for. */
export function renderMasked(
  bytes: Buffer,
  hits: readonly Hit[],
  range: { covered: number; to: number; mask(label: number): Buffer },
): MaskedBytes {
  const pieces: Buffer[] = [];
  let done = range.covered;
  for (const { start, end, label } of hits) {
    if (start >= range.to) break;
    // Overlapping hits share the mask of the first.
    if (start >= done) pieces.push(bytes.subarray(done, start), range.mask(label));
    done = Math.max(done, end);
  }
  if (done < range.to) pieces.push(bytes.subarray(done, range.to));
  return { pieces, covered: Math.max(0, done - range.to) };
}

/** An escape sequence of a terminal, which may stand between the characters of a secret. */
type Gap = { start: number; end: number };
/** The bytes that a terminal shows. `at[n]`: the offset of the n-th visible byte. */
type VisibleView = { bytes: Buffer; at: Uint32Array; gaps: readonly Gap[] };

const esc = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);
/** The one-character introducer of C1, in UTF-8. */
const c1Introducer = String.fromCharCode(0xc2, 0x9b);
/** Spellings of the escape character in JSON, in our own output, in shells and in C. */
const escapeSpellings = ['\\\\u001b', '\\u001b', '\\u{1b}', '\\x1b', '\\033', '\\e'];

const escapePattern = (text: string): string => text.replace(/[\\{}]/g, '\\$&');
const controlSequence = '[0-?]{0,256}[ -/]{0,16}(?:[@-~]|$)';
const stringSequence = `[^${bell}${esc}]{0,4096}(?:${bell}|${esc}\\\\|${esc}?$)`;
const createSequencePattern = (strings: string, spellings = escapeSpellings): RegExp => {
  // A sequence that is cut off at the end counts, because its rest may follow.
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
// A title or a link is readable text, and one without an end may be no sequence, so the bytes are searched with and without it.
const wholeSequences = createSequencePattern(stringSequence);
const openingSequences = createSequencePattern('');
// The first of two backslashes may also belong to the text before a sequence.
const [doubled = '', ...singleBackslash] = escapeSpellings;
const afterBackslash = createSequencePattern(stringSequence, singleBackslash);

/** The bytes without escape sequences, in every possible reading. Empty when there are none. */
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
    for (let place = from; place < start; place++) at[count++] = place;
    from = end;
  }
  return { bytes: visible.subarray(0, count), at: at.subarray(0, count), gaps };
}
