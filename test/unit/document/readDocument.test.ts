import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/document/readDocument.js';

const read = (text: string) => readDocument('a.recipe.json', Buffer.from(text));

describe('a document', () => {
  const { document } = read('{\n  "title": "A",\n  "list": [1,\n    { "deep/key": null }]\n}\n');

  test.for([
    ['', { line: 1, column: 1 }],
    ['/title', { line: 2, column: 3 }],
    ['/list/0', { line: 3, column: 12 }],
    ['/list/1/deep~1key', { line: 4, column: 7 }],
  ] as const)('knows the place of %s', ([pointer, place]) => {
    expect(document?.place(pointer)).toEqual({ file: 'a.recipe.json', ...place });
  });

  test('knows the place of a value beside that of its key', () => {
    expect(document?.place('/title', 'value')).toMatchObject({ line: 2, column: 12 });
  });

  test('keeps __proto__ as a key like any other', () => {
    const value = read('{ "__proto__": { "polluted": true } }').document?.value;
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  test('counts lines the same with Windows line ends and a byte order mark', () => {
    const place = read('\ufeff{\r\n  "a": 1\r\n}').document?.place('/a');
    expect(place).toMatchObject({ line: 2, column: 3 });
  });
});

describe('a document that cannot be read', () => {
  test('names both places of a key that is given twice', () => {
    const { findings } = read('{\n  "a": { "x": 1 },\n  "b": 2,\n  "a": { "x": 2 }\n}');
    expect(findings).toMatchObject([{ code: 'document.duplicate_key', path: '/a', place: { line: 4, column: 3 } }]);
    expect(findings[0]?.message).toContain('line 2');
  });

  test('points at the place of a syntax error', () => {
    const { document, findings } = read('{\n  "a": 1,\n}');
    expect(document).toBeUndefined();
    expect(findings).toMatchObject([{ code: 'document.invalid_json', place: { line: 3, column: 1 } }]);
  });

  test.for(['', '   ', '{', '[1,', '"a', 'nul', '{"a" 1}', '// hi\n{}', '{"a": NaN}'])('refuses %j with one finding', (text) => {
    expect(read(text).findings.map(({ code }) => code)).toEqual(['document.invalid_json']);
  });

  test('refuses a million levels at once instead of overflowing', () => {
    const { findings } = read('['.repeat(1_000_000));
    expect(findings).toMatchObject([{ code: 'document.too_deep', place: { line: 1, column: 65 } }]);
  });

  test('takes brackets inside strings for what they are', () => {
    expect(read(JSON.stringify({ a: '[\\"'.repeat(100) })).findings).toEqual([]);
  });
});
