// Checking any document ends quickly with findings or success, and never throws.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared, goodDocuments } from '../support/goodDocuments.js';
import { membersOf, setMember } from '../support/membersOf.js';
import { runCount } from './runCount.js';

const timeout = 600_000;
const good = goodDocuments().map(({ text }) => text);
const values = good.map((text) => JSON.parse(text) as unknown);
const odd = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'nodes',
  'rw',
  'body',
  'recover',
  'call',
  'end',
  'switch',
  '{{inputs.x}}',
  '',
];

type Change = { at: number; with: 'other' | 'gone' | 'twin' | 'odd name' | 'nested'; other: unknown; name: string };

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  with: fc.constantFrom('other', 'gone', 'twin', 'odd name', 'nested'),
  other: fc.jsonValue({ maxDepth: 2 }),
  name: fc.oneof(fc.constantFrom(...odd), fc.string({ maxLength: 12 })),
});

test('F14 checking a good document with changed parts never throws, and takes less than a second', { timeout }, () => {
  let slowest = 0;
  let refused = 0;
  const property = fc.property(fc.nat(values.length - 1), fc.array(change, { minLength: 1, maxLength: 4 }), (pick, changes) => {
    const value = { root: structuredClone(values[pick]) };
    for (const one of changes) apply(value, one);
    const { ms, findings } = measureCheck(Buffer.from(JSON.stringify(value.root) ?? 'null'));
    slowest = Math.max(slowest, ms);
    if (findings.length > 0) refused++;
    for (const { message, place } of findings) {
      expect(message.length).toBeGreaterThan(3);
      expect(place.line).toBeGreaterThan(0);
    }
  });
  fc.assert(property, runCount(2_000, 100_000));
  expect(slowest).toBeLessThan(1_000);
  expect(refused).toBeGreaterThan(0);
});

test('F14 checking a good document with changed bytes never throws, and takes less than a second', { timeout }, () => {
  const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('set', 'cut', 'put') });
  const property = fc.property(fc.nat(good.length - 1), fc.array(edit, { minLength: 1, maxLength: 3 }), (pick, edits) => {
    const bytes = [...Buffer.from(good[pick] ?? '')];
    for (const { at, byte, how } of edits)
      bytes.splice(at % bytes.length, how === 'put' ? 0 : 1, ...(how === 'cut' ? [] : [byte]));
    expect(measureCheck(Buffer.from(bytes)).ms).toBeLessThan(1_000);
  });
  fc.assert(property, runCount(2_000, 50_000));
});

function measureCheck(bytes: Buffer) {
  const before = process.cpuUsage();
  const { findings } = checkDocument(readDocument('any.recipe.json', bytes), declared);
  // The CPU time of this process does not depend on other programs.
  return { ms: process.cpuUsage(before).user / 1_000, findings };
}

function apply(root: object, { at, with: how, other, name }: Change): void {
  const places = membersOf(root);
  const [parent, key] = places[at % places.length] ?? [{}, ''];
  const value = parent[key];
  if (how === 'gone') delete parent[key];
  else if (how === 'other') setMember(parent, key, other);
  else if (how === 'nested') setMember(parent, key, { [name]: value });
  else setMember(parent, Array.isArray(parent) ? String(parent.length) : name, how === 'twin' ? structuredClone(value) : other);
}
