import { expect, test } from 'vitest';
import { readDocument } from '../../../../src/document/readDocument.js';
import { findTitlePlace } from '../../../../src/hosts/playwright/readTestEntries.js';

const texts = [
  '{ "title": "At once" }',
  '{\n  "schema_version": 1,\n  "title": "Third line"\n}',
  '{\r\n\t"a": { "title": "inside" },\r\n\t"title" : "after"\r\n}',
  '{ "description": "a \\"title\\": of sorts", "title": 1 }',
  '{ "x": "title", "y": ["title", "]"], "title": "last" }',
  '{ "é✓𝄞": "title", "title": "wide" }',
  '\n\n  { "title": "indented" }',
  '{ "no": { "title": "only inside" } }',
  '{ "x": "title" }',
  '{ "id": "r", "name": "A manifest" }',
  '{ "name": "not this", "title": "but this" }',
];

test.for(texts)('the place of a title is the same as in the outline of the whole document: %j', (text) => {
  const { document } = readDocument('a.recipe.json', Buffer.from(text));
  if (!document) throw new Error('The text is not JSON.');
  const key = ['title', 'name'].find((name) => Object.hasOwn(document.value as object, name));
  expect(findTitlePlace(document)).toEqual(document.place(key === undefined ? '' : `/${key}`));
});
