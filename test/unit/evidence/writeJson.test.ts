import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeJson } from '../../../src/evidence/writeJson.js';

function printInParts(value: unknown): string {
  let text = '';
  writeJson(value, (part) => {
    text += part;
  });
  return text;
}

test('a document that is printed in parts has the same text as from JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(printInParts(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
    }),
  );
  const odd = { a: { b: { c: { d: { e: [1, { f: 'x\ny' }], g: undefined } } } }, h: {}, i: [], j: { k: undefined } };
  expect(printInParts(odd)).toBe(`${JSON.stringify(odd, null, 2)}\n`);
});

test('members that are printed in a batch keep their order, even with numeric names', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}`, { at: index, on: ['x'] }]));
  const oddKeys = JSON.parse('{ "b": 1, "__proto__": { "a": 2 }, "10": 3, "9": 4, "": 5, "c": {} }');
  const document = { validate: { workflow: { nodes: { ...many, last: undefined }, oddKeys } }, ...oddKeys };
  expect(printInParts(document)).toBe(`${JSON.stringify(document, null, 2)}\n`);
  const lazyMembers = new Map<string, unknown>([
    ['a', 1],
    ['b', undefined],
    ['10', 2],
    ['9', { c: 3 }],
    ['d', 4],
  ]);
  expect(printInParts({ nodes: lazyMembers })).toBe(
    '{\n  "nodes": {\n    "a": 1,\n    "10": 2,\n    "9": {\n      "c": 3\n    },\n    "d": 4\n  }\n}\n',
  );
});
