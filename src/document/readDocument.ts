// Reads bytes as a checked JSON value, with the line and column of every key and value.
import { decodeText, textOffset } from './decodeText.js';
import { type DescribePlace, explainStop } from './explainStop.js';
import type { Finding, Place } from './finding.js';
import { joinPointer } from './jsonPointer.js';
import {
  closingQuote,
  createPlaceFinder,
  createPointerFinder,
  findStopPointer,
  type Outline,
  outlineText,
  stringAt,
  wordAt,
} from './outlineText.js';

export type Document = {
  file: string;
  text: string;
  value: unknown;
  /** The place of a pointer's key; of the value with `value`, and for array items and the root. */
  place(pointer: string, part?: 'key' | 'value'): Place;
};

export type ReadLimits = { bytes: number; depth: number; stringBytes: number };
export const readLimits: ReadLimits = { bytes: 5_000_000, depth: 64, stringBytes: 1_000_000 };

export type DocumentRead = { document?: Document; text: string; findings: Finding[] };

/** The longest string in JavaScript, whatever the limits say. */
const longestText = 0x1fffffe8;

/** The escape of a surrogate: one half of a character beyond U+FFFF. */
const halfEscape = /\\u[dD][89a-fA-F]/;

export function readDocument(file: string, bytes: Uint8Array, overrides: Partial<ReadLimits> = {}): DocumentRead {
  const limits = completeLimits(overrides);
  if (bytes.length > limits.bytes) return { text: '', findings: [tooLargeFinding(file, bytes.length, limits)] };
  const { text, hasByteOrderMark, failure } = decodeText(bytes);
  const reading: ReadingContext = { file, text, bytes: () => bytes, limits, placeAt: createPlaceFinder(file, text) };
  if (failure) return reportFaults(reading, [{ code: 'document.not_utf8', path: '', ...failure }]);
  const read = readDecoded(reading, bytes.length);
  if (hasByteOrderMark && read.document) read.findings.push(byteOrderMarkFinding(file));
  return read;
}

/** Like `readDocument`, for a text that is certain to have the full content of its bytes (`isLosslessText`). */
export function readText(file: string, text: string, overrides: Partial<ReadLimits> = {}): DocumentRead {
  const limits = completeLimits(overrides);
  const encode = (): Uint8Array => new TextEncoder().encode(text);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  const isSmall = text.length * 3 <= Math.min(limits.bytes, limits.stringBytes);
  const size = isSmall ? text.length : encode().length;
  if (size > limits.bytes) return { text: '', findings: [tooLargeFinding(file, size, limits)] };
  return readDecoded({ file, text, bytes: encode, limits, placeAt: createPlaceFinder(file, text) }, size);
}

function completeLimits(overrides: Partial<ReadLimits>): ReadLimits {
  const limits = { ...readLimits, ...overrides };
  limits.bytes = Math.min(limits.bytes, longestText);
  return limits;
}

function readDecoded(reading: ReadingContext, size: number): DocumentRead {
  const { text, limits } = reading;
  const survey = surveySmallText(text, size, limits) ?? surveyText(reading.bytes(), limits);
  if (survey.tooDeepAt !== undefined) return reportFaults(reading, [tooDeepFault(reading, survey.tooDeepAt)]);
  const parsed = parse(text);
  if (!parsed) return reportFaults(reading, [syntaxFault(reading)]);
  const { keys, hasInfinity } = surveyValue(parsed.value);
  const isOdd = keys !== survey.keys || hasInfinity || survey.hasLongString || (text.includes('\\u') && halfEscape.test(text));
  const faults = isOdd ? findFaults(text, outlineText(text), { limits, describePlace: createPlaceDescriber(reading) }) : [];
  if (faults.length > 0) return reportFaults(reading, faults);
  return { document: documentOf(reading, parsed.value), text, findings: [] };
}

export function tooLargeFinding(file: string, size: number, { bytes }: Pick<ReadLimits, 'bytes'>): Finding {
  return {
    code: 'document.too_large',
    severity: 'error',
    path: '',
    place: { file, line: 1, column: 1 },
    message: `The file has ${size} bytes, more than the limit of ${bytes}.`,
    hint: 'Split it, for example by moving flows to a catalog, or raise the limit.',
  };
}

type ReadingContext = {
  file: string;
  text: string;
  bytes: () => Uint8Array;
  limits: ReadLimits;
  placeAt: (offset: number) => Place;
};

function reportFaults({ text, placeAt }: ReadingContext, faults: Fault[]): DocumentRead {
  const findings = faults.map(({ code, path, offset, message, hint }): Finding => {
    return { code, severity: 'error', path, place: placeAt(offset), message, hint };
  });
  return { text, findings };
}

function documentOf({ file, text, placeAt }: ReadingContext, value: unknown): Document {
  const offsetOf = createPointerFinder(text);
  return { file, text, value, place: (pointer, part = 'key') => placeAt(offsetOf(pointer, part)) };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // SyntaxError: explained by the outline, because its message differs between versions of Node.
    return undefined;
  }
}

function tooDeepFault({ bytes, text, limits }: ReadingContext, at: number): Fault {
  const offset = textOffset(bytes(), at);
  const before = text.slice(0, offset);
  const outline = outlineText(before);
  const path = outline.stop?.offset === offset ? findStopPointer(before, outline) : '';
  const message = `The document nests deeper than ${limits.depth} levels.`;
  const hint = 'Take out the levels that are not needed, or move inner parts to flows.';
  return { code: 'document.too_deep', path, offset, message, hint };
}

function syntaxFault(reading: ReadingContext): Fault {
  const { text } = reading;
  const outline = outlineText(text);
  const explained = explainStop(text, outline, createPlaceDescriber(reading));
  return { code: 'document.invalid_json', path: findStopPointer(text, outline), offset: outline.stop?.offset ?? 0, ...explained };
}

function createPlaceDescriber({ placeAt }: ReadingContext): (offset: number) => string {
  return (offset) => {
    const { line, column } = placeAt(offset);
    return `line ${line}, column ${column}`;
  };
}

function byteOrderMarkFinding(file: string): Finding {
  return {
    code: 'document.byte_order_mark',
    severity: 'note',
    path: '',
    place: { file, line: 1, column: 1 },
    message: 'The file begins with a byte order mark (EF BB BF), which JSON does not allow; it is skipped.',
    hint: 'Save it as UTF-8 without a byte order mark.',
  };
}

/** Found in one pass over a JSON text before it is parsed. */
type TextSurvey = {
  /** The byte at which the text nests deeper than allowed. */
  tooDeepAt?: number;
  keys: number;
  /** A string is longer than allowed, counted with its escapes. */
  hasLongString: boolean;
};

/**
 * Like `surveyText`, but by native searches, for a small and plain text; undefined for any other.
 * It counts every key, and may count a `":` inside a string. If the value has as many keys, none was given twice.
 */
function surveySmallText(text: string, size: number, limits: ReadLimits): TextSurvey | undefined {
  if (size > limits.stringBytes || countOccurrences(text, '{') + countOccurrences(text, '[') > limits.depth) return undefined;
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === 0x22) keys++;
    // After a space it may or may not be the colon of a key.
    else if (before <= 0x20) return undefined;
  }
  return { keys, hasLongString: false };
}

function countOccurrences(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found++;
  return found;
}

// Over bytes, because that is twice as fast as over a string, and all characters that matter are ASCII.
function surveyText(bytes: Uint8Array, limits: ReadLimits): TextSurvey {
  let depth = 0;
  let keys = 0;
  let hasLongString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const end = endOfString(bytes, at);
      hasLongString ||= end - at - 1 > limits.stringBytes;
      at = end;
    } else if (byte === 0x3a) keys++;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (depth > limits.depth) return { tooDeepAt: at, keys, hasLongString };
  }
  return { keys, hasLongString };
}

/** The offset of the closing quote, or the length if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
}

/** Found in one walk over a parsed value. If it has as many keys as the text has colons, no key was given twice. */
type ValueSurvey = { keys: number; hasInfinity: boolean };

function surveyValue(value: unknown): ValueSurvey {
  const survey: ValueSurvey = { keys: 0, hasInfinity: false };
  const open: object[] = [];
  surveyPart(value, survey, open);
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) for (const item of container) surveyPart(item, survey, open);
    else survey.keys += surveyMembers(container as Record<string, unknown>, survey, open);
  }
  return survey;
}

// `for in` is several times faster than Object.values. An inherited key only makes the caller look closer.
function surveyMembers(container: Record<string, unknown>, survey: ValueSurvey, open: object[]): number {
  let keys = 0;
  for (const key in container) {
    keys++;
    surveyPart(container[key], survey, open);
  }
  return keys;
}

function surveyPart(value: unknown, survey: ValueSurvey, open: object[]): void {
  if (typeof value === 'object') {
    if (value !== null) open.push(value);
  } else if (typeof value === 'number' && !Number.isFinite(value)) survey.hasInfinity = true;
}

/** A fault that JSON.parse ignores: a duplicate key, a lone surrogate, a number or a string that is too large. */
type Fault = { code: string; path: string; offset: number; message: string; hint: string };

/** A file of a million equal keys has too many faults to list, and the pointers of a thousand faults can be far longer than the file. */
const listLimits = { faults: 1000, pointers: 10_000_000 };

type FaultOptions = { limits: ReadLimits; describePlace: DescribePlace };

function findFaults(text: string, outline: Outline, options: FaultOptions): Fault[] {
  const search = new FaultSearch(text, outline, options);
  for (let entry = 0; entry < outline.values.length && !search.isFull; entry++) search.visit(entry);
  const last = search.faults.at(-1);
  if (search.isFull && last) last.message += ' The faults that follow are not listed.';
  return search.faults;
}

type Frame = { entry: number; names: Map<string, number> | undefined; items: number; segment: string | number };

class FaultSearch {
  readonly faults: Fault[] = [];
  isFull = false;
  private written = 0;
  private readonly frames: Frame[] = [];

  constructor(
    private readonly text: string,
    private readonly outline: Outline,
    private readonly options: FaultOptions,
  ) {}

  visit(entry: number): void {
    const { text, outline, frames } = this;
    while (frames.length > 0 && entry >= (outline.after[frames.at(-1)?.entry ?? 0] ?? 0)) frames.pop();
    const parent = frames.at(-1);
    if (parent?.names) this.visitKey(parent, parent.names, outline.keys[entry] ?? 0);
    else if (parent) parent.segment = parent.items++;
    const value = outline.values[entry] ?? 0;
    const char = text[value];
    if (char === '"') this.visitString(value);
    else if (char === '{' || char === '[') {
      frames.push({ entry, names: char === '{' ? new Map() : undefined, items: 0, segment: '' });
    } else this.visitWord(value);
  }

  private visitKey(parent: Frame, names: Map<string, number>, offset: number): void {
    const name = stringAt(this.text, offset);
    parent.segment = name;
    const first = names.get(name);
    if (first === undefined) names.set(name, offset);
    else this.report('document.duplicate_key', offset, () => this.explainDuplicateKey(name, first, offset));
    this.visitString(offset);
  }

  private explainDuplicateKey(name: string, first: number, second: number): [string, string] {
    const { describePlace } = this.options;
    const places = `on ${describePlace(first)} and on ${describePlace(second)}`;
    const hint = 'Most JSON readers keep the last one without a word. Remove or rename one.';
    return [`The key ${quoteShortened(name)} is given more than once in one object: ${places}.`, hint];
  }

  private visitString(offset: number): void {
    const raw = this.text.slice(offset, closingQuote(this.text, offset) + 1);
    const half = findLoneSurrogate(raw);
    if (half) this.report('document.lone_surrogate', offset + half.at, () => explainLoneSurrogate(half.escape));
    const { stringBytes } = this.options.limits;
    if (raw.length * 3 <= stringBytes) return;
    const size = Buffer.byteLength(JSON.parse(raw) as string);
    if (size > stringBytes) this.report('document.string_too_long', offset, () => explainLongString(size, stringBytes));
  }

  private visitWord(offset: number): void {
    const word = wordAt(this.text, offset);
    if (Math.abs(Number(word)) !== Number.POSITIVE_INFINITY) return;
    const hint = 'Numbers go up to about 1.8e308. Write a smaller one, or put it in double quotes.';
    this.report('document.number_out_of_range', offset, () => [
      `The number ${quoteShortened(word)} is too large to be kept.`,
      hint,
    ]);
  }

  private report(code: string, offset: number, explain: () => [message: string, hint: string]): void {
    const [message, hint] = explain();
    const path = this.frames.map(({ segment }) => joinPointer('', segment)).join('');
    this.written += path.length;
    this.faults.push({ code, path, offset, message, hint });
    this.isFull = this.faults.length >= listLimits.faults || this.written > listLimits.pointers;
  }
}

const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

function findLoneSurrogate(raw: string): { at: number; escape: string } | undefined {
  if (!raw.includes('\\')) return undefined;
  for (const match of raw.matchAll(escapes)) if (match[1]) return { at: match.index, escape: match[0] };
  return undefined;
}

function explainLoneSurrogate(sequence: string): [string, string] {
  const hint = 'Characters beyond U+FFFF take two escapes, \\ud800 to \\udbff and then \\udc00 to \\udfff, or stand as they are.';
  return [`The escape ${sequence} is one half of a character, and the other half is missing.`, hint];
}

function explainLongString(size: number, limit: number): [string, string] {
  return [
    `The string has ${size} bytes, more than the limit of ${limit}.`,
    'Keep long text in a file of its own and name the file here.',
  ];
}

function quoteShortened(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 60)}…` : words);
}
