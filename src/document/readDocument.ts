// Reads bytes as JSON and checks them. The document then knows the line and the column of every key and value.
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
  /** Returns the place of a pointer's key, or of its value with `value`. Array items and the root have no key, so it is always the value. */
  place(pointer: string, part?: 'key' | 'value'): Place;
};

export type ReadLimits = { bytes: number; depth: number; stringBytes: number };
export const readLimits: ReadLimits = { bytes: 5_000_000, depth: 64, stringBytes: 1_000_000 };

export type DocumentRead = { document?: Document; text: string; findings: Finding[] };

/** The length of the longest string in JavaScript. Greater limits have no effect. */
const longestText = 0x1fffffe8;

/** The escape of a surrogate, which is one half of a character beyond U+FFFF. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

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

/** Like `readDocument`, for a string instead of bytes. The bytes must have been decoded without loss (`isLosslessText`). */
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
  const parsed = parseJson(text);
  if (!parsed) return reportFaults(reading, [syntaxFault(reading)]);
  const { keys, hasInfinity } = surveyValue(parsed.value);
  const mayHaveFault =
    keys !== survey.keys || hasInfinity || survey.hasLongString || (text.includes('\\u') && surrogateEscape.test(text));
  const faults = mayHaveFault
    ? findFaults(text, outlineText(text), { limits, describePlace: createPlaceDescriber(reading) })
    : [];
  if (faults.length > 0) return reportFaults(reading, faults);
  return { document: createDocument(reading, parsed.value), text, findings: [] };
}

export function tooLargeFinding(file: string, size: number, { bytes }: Pick<ReadLimits, 'bytes'>): Finding {
  return {
    code: 'document.too_large',
    severity: 'error',
    path: '',
    place: { file, line: 1, column: 1 },
    message: `The file has ${size} bytes, more than the limit of ${bytes}.`,
    hint: 'Split the document, for example by moving flows to a catalog, or raise the limit.',
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

function createDocument({ file, text, placeAt }: ReadingContext, value: unknown): Document {
  const offsetOf = createPointerFinder(text);
  return { file, text, value, place: (pointer, part = 'key') => placeAt(offsetOf(pointer, part)) };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // SyntaxError. Its message differs between versions of Node, so `explainStop` explains the mistake instead.
    return undefined;
  }
}

function tooDeepFault({ bytes, text, limits }: ReadingContext, at: number): Fault {
  const offset = textOffset(bytes(), at);
  const before = text.slice(0, offset);
  const outline = outlineText(before);
  const path = outline.stop?.offset === offset ? findStopPointer(before, outline) : '';
  const message = `The document nests deeper than ${limits.depth} levels.`;
  const hint = 'Remove levels that are not needed, or move inner parts to flows.';
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
    message: 'The file begins with a byte order mark (EF BB BF), which JSON does not allow. recipewright ignores the mark.',
    hint: 'Save the file as UTF-8 without a byte order mark.',
  };
}

/** Facts about a JSON text that one pass finds before the text is parsed. */
type TextSurvey = {
  /** The offset of the byte at which the text nests too deep. */
  tooDeepAt?: number;
  keys: number;
  /** Whether a string may be too long. Counts the bytes of the string with its escapes. */
  hasLongString: boolean;
};

/**
 * Like `surveyText`, but faster, because it uses native searches. Returns undefined for a large or deep text, or one with white space
 * before a colon. `keys` may be too high, because a `":` inside a string counts, too, but is never too low.
 */
function surveySmallText(text: string, size: number, limits: ReadLimits): TextSurvey | undefined {
  if (size > limits.stringBytes || countOccurrences(text, '{') + countOccurrences(text, '[') > limits.depth) return undefined;
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === 0x22) keys++;
    // A colon after white space may belong to a key or to a string.
    else if (before <= 0x20) return undefined;
  }
  return { keys, hasLongString: false };
}

function countOccurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}

// Reads bytes, because that is twice as fast as reading a string, and all relevant characters are ASCII.
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

/** Returns the offset of the closing quote, or the length of the bytes if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
}

/** Facts about a parsed value. If it has as many keys as the survey of the text counted, no object of the text has a key twice. */
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

// `for in` is several times faster than Object.values. An inherited key would only make the caller search for faults.
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

/** A fault at a place of the text, such as a syntax error, a duplicate key, a lone surrogate, or a value that is too large. */
type Fault = { code: string; path: string; offset: number; message: string; hint: string };

/** A file may have a million equal keys, and the pointers of a thousand faults together can be much longer than the file. */
const listLimits = { faults: 1000, pointers: 10_000_000 };

type FaultOptions = { limits: ReadLimits; describePlace: DescribePlace };

function findFaults(text: string, outline: Outline, options: FaultOptions): Fault[] {
  const search = new FaultSearch(text, outline, options);
  for (let entry = 0; entry < outline.values.length && !search.isFull; entry++) search.visit(entry);
  const last = search.faults.at(-1);
  if (search.isFull && last) last.message += ' Further faults are not listed.';
  return search.faults;
}

type Frame = { entry: number; names: Map<string, number> | undefined; items: number; segment: string | number };

class FaultSearch {
  readonly faults: Fault[] = [];
  isFull = false;
  private pathLength = 0;
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
    const places = `at ${describePlace(first)} and at ${describePlace(second)}`;
    const hint = 'Most JSON parsers silently keep only the last one. Remove or rename one of the keys.';
    return [`The key ${quoteShortened(name)} occurs more than once in one object: ${places}.`, hint];
  }

  private visitString(offset: number): void {
    const raw = this.text.slice(offset, closingQuote(this.text, offset) + 1);
    const surrogate = findLoneSurrogate(raw);
    if (surrogate) this.report('document.lone_surrogate', offset + surrogate.at, () => explainLoneSurrogate(surrogate.escape));
    const { stringBytes } = this.options.limits;
    if (raw.length * 3 <= stringBytes) return;
    const size = Buffer.byteLength(JSON.parse(raw) as string);
    if (size > stringBytes) this.report('document.string_too_long', offset, () => explainLongString(size, stringBytes));
  }

  private visitWord(offset: number): void {
    const word = wordAt(this.text, offset);
    if (Math.abs(Number(word)) !== Number.POSITIVE_INFINITY) return;
    const hint = 'Numbers go up to about 1.8e308. Write a smaller number, or write the number as a string in double quotes.';
    this.report('document.number_out_of_range', offset, () => [`The number ${quoteShortened(word)} is too large.`, hint]);
  }

  private report(code: string, offset: number, explain: () => [message: string, hint: string]): void {
    const [message, hint] = explain();
    const path = this.frames.map(({ segment }) => joinPointer('', segment)).join('');
    this.pathLength += path.length;
    this.faults.push({ code, path, offset, message, hint });
    this.isFull = this.faults.length >= listLimits.faults || this.pathLength > listLimits.pointers;
  }
}

const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

function findLoneSurrogate(raw: string): { at: number; escape: string } | undefined {
  if (!raw.includes('\\')) return undefined;
  for (const match of raw.matchAll(escapes)) if (match[1]) return { at: match.index, escape: match[0] };
  return undefined;
}

function explainLoneSurrogate(sequence: string): [string, string] {
  const hint = 'Write a character beyond U+FFFF as it is, or with two escapes: \\ud800 to \\udbff, then \\udc00 to \\udfff.';
  return [`The escape ${sequence} is one half of a character, and the other half is missing.`, hint];
}

function explainLongString(size: number, limit: number): [string, string] {
  return [
    `The string has ${size} bytes, more than the limit of ${limit}.`,
    'Move long text to a file of its own, and write the path of that file here.',
  ];
}

function quoteShortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
