// Bytes to a checked JSON value that knows the line and column of every key and value.
import { decodeText, textOffset } from './decodeText.js';
import { explainStop } from './explainStop.js';
import { type Fault, findFaults } from './findFaults.js';
import type { Finding, Place } from './finding.js';
import { outlineText } from './outlineText.js';
import { placesIn, pointersIn } from './placesIn.js';
import { stopPath } from './stopPath.js';
import { glanceAt, surveyText } from './surveyText.js';
import { surveyValue } from './surveyValue.js';

export type Document = {
  file: string;
  text: string;
  value: unknown;
  /** Where a pointer's key stands (or its value, for array items, the root, or when asked). */
  place(pointer: string, part?: 'key' | 'value'): Place;
};

export type ReadLimits = { bytes: number; depth: number; stringBytes: number };
export const readLimits: ReadLimits = { bytes: 5_000_000, depth: 64, stringBytes: 1_000_000 };

export type Read = { document?: Document; text: string; findings: Finding[] };

/** A string of JavaScript cannot be longer, whatever the limits say. */
const longestText = 0x1fffffe8;

/** Escapes that spell half of a character beyond U+FFFF. */
const halfEscape = /\\u[dD][89a-fA-F]/;

export function readDocument(file: string, bytes: Uint8Array, given: Partial<ReadLimits> = {}): Read {
  const limits = limitsOf(given);
  if (bytes.length > limits.bytes) return { text: '', findings: [tooLarge(file, bytes.length, limits)] };
  const { text, hasMark, refused } = decodeText(bytes);
  const reading: Reading = { file, text, bytes: () => bytes, limits, placeAt: placesIn(file, text) };
  if (refused) return refuse(reading, [{ code: 'document.not_utf8', path: '', ...refused }]);
  const read = readDecoded(reading, bytes.length);
  if (hasMark && read.document) read.findings.push(byteOrderMark(file));
  return read;
}

/** The same for a text that is certain to say all that its bytes did. */
export function readText(file: string, text: string, given: Partial<ReadLimits> = {}): Read {
  const limits = limitsOf(given);
  const encode = (): Uint8Array => new TextEncoder().encode(text);
  // A unit of text has at most three bytes.
  const isSmall = text.length * 3 <= Math.min(limits.bytes, limits.stringBytes);
  const size = isSmall ? text.length : encode().length;
  if (size > limits.bytes) return { text: '', findings: [tooLarge(file, size, limits)] };
  return readDecoded({ file, text, bytes: encode, limits, placeAt: placesIn(file, text) }, size);
}

function limitsOf(given: Partial<ReadLimits>): ReadLimits {
  const limits = { ...readLimits, ...given };
  limits.bytes = Math.min(limits.bytes, longestText);
  return limits;
}

function readDecoded(reading: Reading, size: number): Read {
  const { text, limits } = reading;
  const survey = glanceAt(text, size, limits) ?? surveyText(reading.bytes(), limits);
  if (survey.tooDeepAt !== undefined) return refuse(reading, [tooDeep(reading, survey.tooDeepAt)]);
  const parsed = parse(text);
  if (!parsed) return refuse(reading, [syntaxFault(reading)]);
  const { keys, hasInfinity } = surveyValue(parsed.value);
  const isOdd = keys !== survey.keys || hasInfinity || survey.hasLongString || (text.includes('\\u') && halfEscape.test(text));
  const faults = isOdd ? findFaults(text, outlineText(text), { limits, name: namesOf(reading) }) : [];
  if (faults.length > 0) return refuse(reading, faults);
  return { document: documentOf(reading, parsed.value), text, findings: [] };
}

export function tooLarge(file: string, size: number, { bytes }: Pick<ReadLimits, 'bytes'>): Finding {
  return {
    ...{ code: 'document.too_large', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: `The file has ${size} bytes, more than the limit of ${bytes}.`,
    hint: 'Split it, for example by moving flows to a catalog, or raise the limit.',
  };
}

type Reading = { file: string; text: string; bytes: () => Uint8Array; limits: ReadLimits; placeAt: (offset: number) => Place };

function refuse({ text, placeAt }: Reading, faults: Fault[]): Read {
  const findings = faults.map(({ code, path, offset, message, hint }): Finding => {
    return { code, severity: 'error', path, place: placeAt(offset), message, hint };
  });
  return { text, findings };
}

function documentOf({ file, text, placeAt }: Reading, value: unknown): Document {
  const offsetOf = pointersIn(text);
  return { file, text, value, place: (pointer, part = 'key') => placeAt(offsetOf(pointer, part)) };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // SyntaxError; the outline tells what is wrong better than its message, which differs between versions of Node.
    return undefined;
  }
}

function tooDeep({ bytes, text, limits }: Reading, at: number): Fault {
  const offset = textOffset(bytes(), at);
  const before = text.slice(0, offset);
  const outline = outlineText(before);
  const path = outline.stop?.offset === offset ? stopPath(before, outline) : '';
  const message = `The document nests deeper than ${limits.depth} levels.`;
  const hint = 'Take out the levels that are not needed, or move inner parts to flows.';
  return { code: 'document.too_deep', path, offset, message, hint };
}

function syntaxFault(reading: Reading): Fault {
  const { text } = reading;
  const outline = outlineText(text);
  const explained = explainStop(text, outline, namesOf(reading));
  return { code: 'document.invalid_json', path: stopPath(text, outline), offset: outline.stop?.offset ?? 0, ...explained };
}

function namesOf({ placeAt }: Reading): (offset: number) => string {
  return (offset) => {
    const { line, column } = placeAt(offset);
    return `line ${line}, column ${column}`;
  };
}

function byteOrderMark(file: string): Finding {
  return {
    ...{ code: 'document.byte_order_mark', severity: 'note', path: '', place: { file, line: 1, column: 1 } },
    message: 'The file begins with a byte order mark (EF BB BF), which JSON does not allow; it is skipped.',
    hint: 'Save it as UTF-8 without a byte order mark.',
  };
}
