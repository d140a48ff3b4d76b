import { expect, test } from 'vitest';
import { readDocument } from '../../../src/document/readDocument.js';

const read = (...parts: (string | number[])[]) => {
  return readDocument(
    'a.json',
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
};

const wide = (encoding: string, units: number[]): [string, number[]] => [encoding, units];

test.for([
  wide('UTF-16LE', [0x7b, 0, 0x7d, 0]),
  wide('UTF-16LE', [0x31, 0]),
  wide('UTF-16LE', [0x22, 0, 0x2d, 0x4e, 0x22, 0]),
  wide('UTF-16LE', [0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  wide('UTF-16BE', [0, 0x7b, 0, 0x7d]),
  wide('UTF-16BE', [0xfe, 0xff, 0, 0x7b, 0, 0x7d]),
  wide('UTF-32LE', [0x7b, 0, 0, 0, 0x7d, 0, 0, 0]),
  wide('UTF-32LE', [0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]),
  wide('UTF-32BE', [0, 0, 0, 0x7b, 0, 0, 0, 0x7d]),
  wide('UTF-32BE', [0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]),
])('a document in %s is refused with a hint how to convert it: %j', ([encoding, bytes]) => {
  const { findings, document } = read(bytes);
  expect(document).toBeUndefined();
  expect(findings).toMatchObject([{ code: 'document.not_utf8', place: { line: 1, column: 1 } }]);
  expect(findings[0]?.message).toContain(`${encoding} text from byte 0 on`);
  expect(findings[0]?.hint).toContain('Save the file as UTF-8');
});

test.for([
  ['a Latin-1 letter', [0xe9], 'e9 22 7d'],
  ['an overlong slash', [0xc0, 0xaf], 'c0 af 22 7d'],
  ['an overlong slash of three bytes', [0xe0, 0x80, 0xaf], 'e0 80 af 22'],
  ['an overlong slash of four bytes', [0xf0, 0x80, 0x80, 0xaf], 'f0 80 80 af'],
  ['half of a surrogate pair', [0xed, 0xa0, 0x80], 'ed a0 80 22'],
  ['a character beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 'f4 90 80 80'],
  ['a stray continuation', [0x80], '80 22 7d'],
  ['a byte that UTF-8 never has', [0xff], 'ff 22 7d'],
] as const)('the finding about %s has the byte, the line and the column', ([, bytes, hex]) => {
  const { findings, text } = read('{\n "é": "', [...bytes], '"}');
  expect(findings).toMatchObject([{ code: 'document.not_utf8', place: { line: 2, column: 8 } }]);
  expect(findings[0]?.message).toContain(`the bytes ${hex} at byte 10`);
  expect(text.split('\n')[1]).toMatch(/^ "é": "\ufffd+"}$/);
});

test('the finding about an incomplete last character has the place of its first byte', () => {
  expect(read('"a', [0xf0, 0x9f, 0x98]).findings[0]?.message).toContain('the bytes f0 9f 98 at byte 2');
});

test('a byte order mark counts in byte offsets, but not in columns', () => {
  const { findings } = read([0xef, 0xbb, 0xbf], '{"', [0xff]);
  expect(findings).toMatchObject([{ place: { line: 1, column: 3 }, message: expect.stringContaining('at byte 5') }]);
});

test.for([[[0]], [[0, 0]], [[0, 0, 0, 0]], [[0xef, 0xbb, 0xbf]]])('the bytes %j are text, but not JSON', ([bytes = []]) => {
  expect(read(bytes).findings).toMatchObject([{ code: 'document.invalid_json' }]);
});
