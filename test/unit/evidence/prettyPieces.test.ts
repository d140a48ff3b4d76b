import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prettyPieces } from '../../../src/evidence/prettyPieces.js';

test('the pieces of a document are what JSON.stringify prints of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect([...prettyPieces(value)].join('')).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
  );
  const odd = { a: { b: { c: { d: { e: [1, { f: 'x\ny' }], g: undefined } } } }, h: {}, i: [] };
  expect([...prettyPieces(odd)].join('')).toBe(`${JSON.stringify(odd, null, 2)}\n`);
});
