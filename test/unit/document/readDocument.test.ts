import { describe, expect, test } from 'vitest';
import { type ReadLimits, readDocument, readLimits } from '../../../src/document/readDocument.js';

const read = (text: string, limits?: Partial<ReadLimits>) => readDocument('a.recipe.json', Buffer.from(text), limits);

describe('a document', () => {
  const { document } = read('{\n  "title": "A",\n  "list": [1,\n    { "deep/key": null }]\n}\n');

  test.for([
    ['', { line: 1, column: 1 }],
    ['/title', { line: 2, column: 3 }],
    ['/list/0', { line: 3, column: 12 }],
    ['/list/1/deep~1key', { line: 4, column: 7 }],
  ] as const)('a document knows the place of the pointer %j', ([pointer, place]) => {
    expect(document?.place(pointer)).toEqual({ file: 'a.recipe.json', ...place });
  });

  test('a document knows the place of a key and of its value', () => {
    expect(document?.place('/title', 'value')).toMatchObject({ line: 2, column: 12 });
  });

  test.for([
    ['/list/1/other', { line: 4, column: 5 }],
    ['/list/01', { line: 3, column: 3 }],
    ['/title/length', { line: 2, column: 3 }],
    ['/toString', { line: 1, column: 1 }],
    ['no pointer', { line: 1, column: 1 }],
  ] as const)('a missing value has the place of its nearest existing parent: %s', ([pointer, place]) => {
    expect(document?.place(pointer)).toMatchObject(place);
  });

  test.for([
    ['/~1', { line: 1, column: 3 }],
    ['/~01', { line: 1, column: 11 }],
    ['/~0~1', { line: 1, column: 20 }],
  ] as const)('the escapes of a pointer are decoded: %s', ([pointer, place]) => {
    expect(read('{ "/": 0, "~1": 1, "~/": 2 }').document?.place(pointer)).toMatchObject(place);
  });

  test('a document may have the key __proto__', () => {
    const value = read('{ "__proto__": { "polluted": true } }').document?.value;
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  test('Windows line ends and a byte order mark do not change lines and columns', () => {
    const { document, findings, text } = read('\ufeff{\r\n  "a": 1\r\n}');
    expect(document?.place('/a')).toMatchObject({ line: 2, column: 3 });
    expect(text).toMatch(/^{/);
    expect(findings).toMatchObject([{ code: 'document.byte_order_mark', severity: 'note', place: { line: 1, column: 1 } }]);
  });

  test('brackets, colons and escaped quotes inside strings are only characters', () => {
    expect(read(JSON.stringify({ a: '[\\"'.repeat(100), 'b":{:': ':\\' })).findings).toEqual([]);
  });

  test('a document may have escaped surrogate pairs, and strings that look like half of one', () => {
    const { document, findings } = read('["\\ud83d\\ude00", "\\\\ud800", "\\uD83D\\uDE00"]');
    expect(findings).toEqual([]);
    expect(document?.value).toEqual(['😀', '\\ud800', '😀']);
  });

  test('a document may have a hundred thousand nodes when the limits allow it', () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, at) => [`n${at}`, { action: 'wait', next: `n${at + 1}` }]),
    );
    const { document } = read(JSON.stringify({ nodes }, null, 1), { bytes: 50_000_000 });
    expect(document?.place('/nodes/n99999/next', 'value')).toMatchObject({ line: 3 + 4 * 99_999 + 2, column: 12 });
  });

  test('a document may nest a hundred thousand levels when the limits allow it', () => {
    const levels = 100_000;
    const text = `${'[\n'.repeat(levels)}1${']'.repeat(levels)}`;
    const { document } = read(text, { depth: levels });
    expect(document?.place('/0'.repeat(levels))).toMatchObject({ line: levels + 1, column: 1 });
    const { findings } = read(text.replace('1', '{ "a": 1e999, "a": 2 },'), { depth: levels + 1 });
    expect(findings).toMatchObject([{ code: 'document.invalid_json', place: { line: levels + 1 } }]);
    const doubled = read(text.replace('1', '{ "a": 1e999, "a": 2 }'), { depth: levels + 1 });
    expect(doubled.findings.map(({ code, path }) => [code, path.length])).toEqual([
      ['document.number_out_of_range', 2 * levels + 2],
      ['document.duplicate_key', 2 * levels + 2],
    ]);
  });
});

describe('a refused document', () => {
  test('a duplicate key is refused with both of its places, even if it is written with escapes', () => {
    const { document, findings } = read('{\n  "a": { "x": 1, "\\u0078": 1 },\n  "b": 2,\n  "a": { "x": 2 },\n "a": 3\n}');
    expect(document).toBeUndefined();
    expect(findings.map(({ code, path, place, message }) => [code, path, place.line, place.column, message])).toEqual([
      [
        'document.duplicate_key',
        '/a/x',
        2,
        18,
        expect.stringContaining('"x" occurs more than once in one object: at line 2, column 10 and'),
      ],
      ['document.duplicate_key', '/a', 4, 3, expect.stringContaining('at line 2, column 3 and at line 4, column 3')],
      ['document.duplicate_key', '/a', 5, 2, expect.stringContaining('at line 2, column 3 and at line 5, column 2')],
    ]);
  });

  test('a duplicate key __proto__ is refused', () => {
    expect(read('{ "__proto__": 1, "__proto__": 1 }').findings).toMatchObject([
      { code: 'document.duplicate_key', path: '/__proto__' },
    ]);
  });

  test('a document with many faults has a thousand findings, and the last one says that there are more', () => {
    const { findings } = read(`{${'"":1,'.repeat(900_000)}"b":1}`);
    expect(findings).toHaveLength(1000);
    expect(findings.at(-1)?.message).toMatch(/Further faults are not listed\.$/);
    expect(findings.at(-2)?.message).toMatch(/column 4997\.$/);
  });

  test('a document with very long pointers has only a few findings', () => {
    const outer = [1, 2, 3, 4].map((at) => `{"${at}${'k'.repeat(900_000)}":`);
    const { findings } = read(`${outer.join('')}{${'"":1,'.repeat(50_000)}"b":1}}}}}`);
    expect(findings.length).toBeLessThan(10);
    expect(findings[0]).toMatchObject({ code: 'document.duplicate_key', place: { line: 1, column: 3_600_027 } });
  });

  test.for([
    ['{\n "a": [0, -1e999]\n}', '/a/1', 2, 11],
    [`{"a": ${'9'.repeat(400)}}`, '/a', 1, 7],
    ['1e400', '', 1, 1],
  ] as const)('a number that is too large is refused: %s', ([text, path, line, column]) => {
    expect(read(text).findings).toMatchObject([{ code: 'document.number_out_of_range', path, place: { line, column } }]);
  });

  test.for([
    ['{\n "a": "x\\ud800"}', '/a', 2, 9],
    ['{"a": ["\\udc00\\ud800"]}', '/a/0', 1, 9],
    ['{"k\\uDBFF": 1}', '/k\udbff', 1, 4],
    ['["\\ud83d😀"]', '/0', 1, 3],
  ] as const)('half of a surrogate pair is refused: %s', ([text, path, line, column]) => {
    expect(read(text).findings).toMatchObject([{ code: 'document.lone_surrogate', path, place: { line, column } }]);
  });

  test('a string of more than a megabyte of decoded UTF-8 is refused', () => {
    const limit = readLimits.stringBytes;
    const long = { code: 'document.string_too_long', path: '/a', place: { line: 1, column: 6 } };
    expect(read(`{"a":"${'x'.repeat(limit)}"}`).findings).toEqual([]);
    expect(read(`{"a":"${'\\u0078'.repeat(limit / 2)}"}`).findings).toEqual([]);
    expect(read(`{"a":"${'x'.repeat(limit + 1)}"}`).findings).toMatchObject([long]);
    expect(read(`{"a":"${'€'.repeat(limit / 2)}"}`).findings).toMatchObject([long]);
    expect(read(`{"${'x'.repeat(limit + 1)}":1}`).findings).toMatchObject([{ code: long.code, place: { line: 1, column: 2 } }]);
  });

  test('a million levels are refused at the first level that is too deep', () => {
    const { findings } = read('['.repeat(1_000_000));
    expect(findings).toMatchObject([{ code: 'document.too_deep', path: '/0'.repeat(64), place: { line: 1, column: 65 } }]);
    expect(read(`${'['.repeat(64)}${']'.repeat(64)}`).findings).toEqual([]);
    const wide = `{\n"é": ${'['.repeat(64)}`;
    expect(read(wide).findings).toMatchObject([
      { code: 'document.too_deep', path: `/é${'/0'.repeat(63)}`, place: { line: 2, column: 69 } },
    ]);
  });

  test('a document that is larger than the limit, or than any string can be, is refused', () => {
    expect(read('[1,2]', { bytes: 4 }).findings).toMatchObject([
      { code: 'document.too_large', message: expect.stringContaining('5 bytes') },
    ]);
    const huge = readDocument('a.json', Buffer.alloc(0x20000000), { bytes: Number.POSITIVE_INFINITY });
    expect(huge.findings).toMatchObject([{ code: 'document.too_large' }]);
  });
});
