// Masks a stream of bytes, wherever it is cut into chunks.
import type { Hit, Matcher } from './matcher.js';

export type Redactor = {
  /** What is certain by now; what could still become a secret is held back. */
  write(chunk: Buffer): Buffer;
  /** What was held back. */
  end(): Buffer;
  /** The names of the secrets that were met so far. */
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
    // A copy, since the owner of the chunk may fill it again.
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

/** Up to where nothing that comes can change what is masked. */
function findCertainEnd(matcher: Matcher, bytes: Buffer, { views, masks }: SecretLocations): number {
  const gaps = views.flatMap((view) => view.gaps);
  const undecided = views.map((view) => view.at[matcher.findUndecided(view.bytes)] ?? bytes.length);
  // A sequence at the very end may go on.
  const open = gaps.filter(({ end }) => end === bytes.length).map(({ start }) => start);
  let to = Math.min(matcher.findUndecided(bytes), ...undecided, ...open);
  const whole = [...masks, ...gaps];
  // Neither a mask nor an escape sequence is understood from its middle on.
  for (let cut = whole.find(inside); cut; cut = whole.find(inside)) to = cut.start;
  return to;

  function inside({ start, end }: { start: number; end: number }): boolean {
    return start < to && to < end;
  }
}

// Where secrets stand in bytes, and the bytes with masks in their place.

/** The label of a mask: what stands inside of one is no secret. */
export const maskLabel = -1;

export type SecretLocations = { hits: readonly Hit[]; masks: readonly Gap[]; views: readonly VisibleView[] };

export function locateSecrets(matcher: Matcher, bytes: Buffer): SecretLocations {
  const views = findVisibleBytes(bytes);
  const plain = matcher.scan(bytes);
  const shown = views.flatMap((view) => findVisibleHits(matcher, view));
  const found = shown.length === 0 ? plain : [...plain, ...shown].sort((a, b) => a.start - b.start || b.end - a.end);
  if (found.length === 0) return { hits: found, masks: [], views };
  const masks = found.filter(({ label }) => label === maskLabel);
  return { hits: found.filter(createOutsideFilter(masks)), masks, views };
}

function findVisibleHits(matcher: Matcher, { bytes, at }: VisibleView): Hit[] {
  return matcher
    .scan(bytes)
    .map(({ start, end, label }) => ({ start: at[start] as number, end: (at[end - 1] as number) + 1, label }));
}

// Both are in order, and masks do not overlap.
function createOutsideFilter(masks: readonly Gap[]): (hit: Hit) => boolean {
  let next = 0;
  return ({ start, end, label }) => {
    while (next < masks.length && (masks[next] as Gap).end <= start) next++;
    const mask = masks[next];
    return label !== maskLabel && !(mask && mask.start <= start && end <= mask.end);
  };
}

export type MaskedBytes = { pieces: Buffer[]; covered: number };

/** The bytes up to `to`; the first `covered` ones, and afterwards as many behind `to`, are under a mask that was given out before. */
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

// Bytes as a terminal shows them: without the escape sequences that colour, move and link. They may stand between the characters of a secret.
export type Gap = { start: number; end: number };
/** `at[n]` is where the n-th visible byte stands. */
export type VisibleView = { bytes: Buffer; at: Uint32Array; gaps: readonly Gap[] };

const esc = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);
/** C1's one-character introducer, as UTF-8. */
const c1Introducer = String.fromCharCode(0xc2, 0x9b);
/** How the escape character is written where it is not printed itself: JSON, our own printer, shells, C. */
const escapeSpellings = ['\\\\u001b', '\\u001b', '\\u{1b}', '\\x1b', '\\033', '\\e'];

const escapePattern = (text: string): string => text.replace(/[\\{}]/g, '\\$&');
const controlSequence = '[0-?]{0,256}[ -/]{0,16}(?:[@-~]|$)';
const stringSequence = `[^${bell}${esc}]{0,4096}(?:${bell}|${esc}\\\\|${esc}?$)`;
const createSequencePattern = (strings: string, spellings = escapeSpellings): RegExp => {
  // A sequence that is cut off at the end counts: its rest may be on the way.
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
// A title or a link is text that somebody may read, and one that does not end may be none: so it is looked at with it and without.
const wholeSequences = createSequencePattern(stringSequence);
const openingSequences = createSequencePattern('');
// The first of two backslashes may also be the last character of what stands before a sequence.
const [doubled = '', ...singleBackslash] = escapeSpellings;
const afterBackslash = createSequencePattern(stringSequence, singleBackslash);

/** Every way to see the bytes besides as they are; none when everything is visible. */
export function findVisibleBytes(bytes: Buffer): VisibleView[] {
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
