// The reader of documents with any JSON in any spelling, and with any bytes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstInvalidByte, isLosslessText } from '../../src/document/decodeText.js';
import { type Expected, type Outline, outlineText } from '../../src/document/outlineText.js';
import { readDocument, readText } from '../../src/document/readDocument.js';
import { lineAndColumn, printJson, treeOf } from './printedJson.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const gaps = fc.array(fc.constantFrom('', ' ', '\n', '\r\n', '\t', '  \n\n '), { maxLength: 12 });
const ways = fc.record({ gaps, spelling: fc.array(fc.boolean(), { maxLength: 5 }) });
const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' });

test('a document knows the place of the key and of the value of every pointer', { timeout }, () => {
  const property = fc.property(value, ways, (json, way) => {
    const { text, spots } = printJson(treeOf(json), way);
    const { document, findings } = readDocument('a.json', Buffer.from(text));
    expect(findings).toEqual([]);
    expect(document?.value).toEqual(JSON.parse(text));
    for (const { pointer, key, value, end } of spots) {
      expect(document?.place(pointer)).toEqual({ file: 'a.json', ...lineAndColumn(text, key) });
      expect(document?.place(pointer, 'value')).toEqual({ file: 'a.json', ...lineAndColumn(text, value) });
      expect(JSON.parse(text.slice(value, end))).toEqual(follow(document?.value, pointer));
      if (key < value) expect(JSON.parse(text.slice(key, value).replace(/:\s*$/, ''))).toBe(segmentsOf(pointer).at(-1));
    }
  });
  fc.assert(property, runCount(2000));
});

const good = Buffer.from(
  JSON.stringify(
    {
      title: 'Größe – 漢字 😀 "quoted" \\ and /',
      numbers: [0, -1.5, 1e21, 12345678],
      nodes: {
        a: { action: 'command', argv: ['echo', '{"x": [1]}'], next: 'b' },
        b: { action: 'end', status: 'pass', empty: {} },
      },
    },
    null,
    2,
  ),
);

const edit = fc.record({
  at: fc.nat(good.length),
  removed: fc.constantFrom(0, 0, 1, 1, 3, 40),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.constantFrom('"', '\\', '\\ud800', '\\u00', '{', ']', ',', ':', '1e999', '-', '\0', '\ufeff', '"title": 1,').map(bytesOf),
  ),
});

test('a losslessly decoded string gives the same document as its bytes', { timeout }, () => {
  const property = fc.property(fc.array(edit, { maxLength: 2 }), (edits) => {
    const bytes = edits.reduce(apply, good);
    const text = bytes.toString();
    fc.pre(isLosslessText(text));
    const [fromText, fromBytes] = [readText('a.json', text), readDocument('a.json', bytes)];
    expect(Buffer.from(text).equals(bytes)).toBe(true);
    expect({ ...fromText, document: fromText.document?.value }).toEqual({ ...fromBytes, document: fromBytes.document?.value });
  });
  fc.assert(property, runCount(2000));
});

const ownCodes = /^document\.(?:duplicate_key|lone_surrogate|number_out_of_range|too_deep|string_too_long)$/;

test('a good document with changed bytes is read or refused as by JSON.parse', { timeout }, () => {
  const property = fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
    const bytes = edits.reduce(apply, good);
    const before = process.cpuUsage();
    const { document, findings, text } = readDocument('a.json', bytes);
    // The CPU time of this process does not depend on other programs.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    const plain = parse(bytes);
    if (document) expect({ value: document.value }).toEqual(plain);
    else if (plain) expect(findings.map(({ code }) => code)).toEqual(findings.map(() => expect.stringMatching(ownCodes)));
    else expect(findings).toMatchObject([{ code: expect.stringMatching(/^document\.(?:invalid_json|not_utf8|too_deep)$/) }]);
    if (!document) expect(findings.some(({ severity }) => severity === 'error')).toBe(true);
    for (const { place } of findings)
      expect(place.column - 1).toBeLessThanOrEqual(text.split('\n')[place.line - 1]?.length ?? -1);
  });
  fc.assert(property, runCount(2_000, 50_000));
});

const token = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"', '\\', '\\u12aB', '1', '0', '-', '.', 'e', '+', 'true', 'null', 'nul'],
  ...[' ', '\n', '\t', '\r', '\v', '\f', '\u00a0', '\u2028', '\ufeff', '\0', '/', '😀'],
);

test('the outline of a text stops exactly where JSON.parse would have to refuse it', { timeout }, () => {
  const shaped = fc.tuple(value, fc.nat(), token).map(([json, at, put]) => {
    const text = JSON.stringify(json);
    return text.slice(0, at % (text.length + 1)) + put + text.slice(at % (text.length + 1));
  });
  const texts = fc.oneof(
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join('')),
    shaped,
  );
  const property = fc.property(texts, (text) => {
    const outline = outlineText(text);
    expect(outline.stop === undefined).toBe(parsed(text) !== undefined);
    // The outline does not stop too early: some JSON text begins with the text before the stop.
    if (outline.stop) expect(completions(text, outline).some((completed) => parsed(completed) !== undefined)).toBe(true);
  });
  fc.assert(property, runCount(2_000, 50_000));
});

test('the first byte that is not UTF-8 is the byte at which a strict decoder fails', { timeout }, () => {
  const piece = fc.oneof(fc.string({ unit: 'binary' }).map(bytesOf), fc.uint8Array({ maxLength: 3 }));
  const property = fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
    const bytes = Buffer.concat(pieces);
    const at = firstInvalidByte(bytes);
    expect(isUtf8(bytes.subarray(0, at))).toBe(true);
    for (let end = at + 1; end <= Math.min(at + 4, bytes.length); end++) expect(isUtf8(bytes.subarray(0, end))).toBe(false);
    expect(at === bytes.length).toBe(isUtf8(bytes));
  });
  fc.assert(property, runCount(2000, 25_000));
});

function apply(bytes: Buffer, { at, removed, put }: { at: number; removed: number; put: Uint8Array }): Buffer {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

function isUtf8(bytes: Uint8Array): boolean {
  return parseWith(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) !== undefined;
}

/** Parses the bytes with the parsers of Node. */
function parse(bytes: Uint8Array): { value: unknown } | undefined {
  return parseWith(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
}

function parsed(text: string): { value: unknown } | undefined {
  return parseWith(() => JSON.parse(text));
}

const missing: Record<Expected, readonly string[]> = {
  ...{ value: ['0'], item: [''], key: ['"":0'], 'first key': [''], colon: [':0'], comma: [''], end: [''] },
  ...{ 'closing quote': ['"', '":0', '\\"', '\\":0'], escape: ['"', '":0'] },
};

function completions(text: string, { stop, open, values }: Outline): string[] {
  const closers = open.map((entry) => (text[values[entry] ?? 0] === '{' ? '}' : ']')).reverse();
  return (stop ? missing[stop.expected] : []).map((part) => text.slice(0, stop?.offset) + part + closers.join(''));
}

function parseWith(make: () => unknown): { value: unknown } | undefined {
  try {
    return { value: make() };
  } catch {
    // SyntaxError or TypeError (ERR_ENCODING_INVALID_ENCODED_DATA): the bytes are not valid.
    return undefined;
  }
}

function segmentsOf(pointer: string): string[] {
  return [...pointer.matchAll(/\/([^/]*)/g)].map(([, segment = '']) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function follow(value: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce((parent, segment) => (parent as Record<string, unknown>)[segment], value);
}
