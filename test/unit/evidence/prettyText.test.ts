import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writePretty } from '../../../src/evidence/prettyText.js';

function printed(value: unknown): string {
  let text = '';
  writePretty(value, (part) => {
    text += part;
  });
  return text;
}

test('the parts of a document are what JSON.stringify prints of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(printed(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
  );
  const odd = { a: { b: { c: { d: { e: [1, { f: 'x\ny' }], g: undefined } } } }, h: {}, i: [], j: { k: undefined } };
  expect(printed(odd)).toBe(`${JSON.stringify(odd, null, 2)}\n`);
});
