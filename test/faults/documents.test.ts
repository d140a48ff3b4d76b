// The guarantees of the reader about hostile documents, rows F1 to F5 of the fault table.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readDocumentFile } from '../../src/check/readDocumentFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { lineAndColumn, printJson, type Tree, treeOf } from '../property/printedJson.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { cpuMs } from '../support/cpuMs.js';
import { findPoisoned, poisonEveryObject, prototypes } from './poison.js';

const dir = mkdtempSync(join(tmpdir(), 'faults-'));
afterAll(() => rmSync(dir, { recursive: true }));
const at = (name: string) => join(dir, name);

test('F1 a document with 65 to a million levels is refused at level 65, without a stack overflow', () => {
  const refused = [65, 1_000, 10_000, 100_000, 1_000_000].filter((depth) => {
    writeFileSync(
      at('deep.json'),
      `${'{"a":['.repeat(depth / 2)}${'['.repeat(depth % 2)}1${']'.repeat(depth % 2)}${']}'.repeat(depth / 2)}`,
    );
    const read = () => readDocumentFile(at('deep.json'), { bytes: 10_000_000 });
    expect(cpuMs(read) - cpuMs(() => readFileSync(at('deep.json'), 'utf8'))).toBeLessThan(250);
    const result = read();
    expect(result.findings).toMatchObject([
      { code: 'document.too_deep', severity: 'error', path: '/a/0'.repeat(32), place: { line: 1 } },
    ]);
    return result.document === undefined;
  });
  expect(refused).toHaveLength(5);
});

test('F2 files that are too large or endless are refused without being read', () => {
  const sizes = { 'over.json': 5_000_001, 'large.json': 50_000_000, 'sparse.json': 1_000_000_000 };
  for (const [name, size] of Object.entries(sizes)) sparseFile(at(name), size);
  execFileSync('mkfifo', [at('pipe.json')]);
  const codes = ['over.json', 'large.json', 'sparse.json', 'pipe.json', '/dev/zero'].map((name) => {
    const before = process.memoryUsage().rss;
    const read = () => readDocumentFile(name.startsWith('/') ? name : at(name));
    expect(cpuMs(read)).toBeLessThan(50);
    const result = read();
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
    expect(result.document).toBeUndefined();
    return result.findings.map(({ code }) => code.replace('document.', ''));
  });
  expect(codes).toEqual([['too_large'], ['too_large'], ['too_large'], ['not_a_file'], ['not_a_file']]);
});

test('F2 a file that grows while it is read is cut off at the limit', ({ skip }) => {
  skip(process.platform !== 'linux', 'there is no /proc');
  // Files in /proc report the size 0, so more bytes are read than the file system has announced.
  const { findings, document } = readDocumentFile('/proc/self/environ', { bytes: 1 });
  expect({ codes: findings.map(({ code }) => code), document }).toEqual({ codes: ['document.too_large'], document: undefined });
});

test('F2 a string of more than a megabyte is refused', () => {
  writeFileSync(at('string.json'), JSON.stringify({ title: 'x'.repeat(1_000_001) }));
  expect(readDocumentFile(at('string.json')).findings).toMatchObject([
    { code: 'document.string_too_long', path: '/title', place: { column: 10 } },
  ]);
});

test('F3 each of twelve encodings has the right finding at the right place', () => {
  const json = '{\n "ä": "漢"\n}';
  const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();
  const wide = (text: string) => Buffer.from(Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0).buffer);
  const encodings: [name: string, bytes: Buffer, code: string, message: RegExp, at: string][] = [
    ['UTF-8 with mark', Buffer.from(`\ufeff${json}`), 'byte_order_mark', /ignores the mark/, '1:1'],
    ['UTF-16LE with mark', Buffer.from(`\ufeff${json}`, 'utf16le'), 'not_utf8', /UTF-16LE text from byte 0/, '1:1'],
    ['UTF-16BE with mark', swapped(Buffer.from(`\ufeff${json}`, 'utf16le')), 'not_utf8', /UTF-16BE text from byte 0/, '1:1'],
    ['UTF-16LE', Buffer.from(json, 'utf16le'), 'not_utf8', /UTF-16LE/, '1:1'],
    ['UTF-16BE', swapped(Buffer.from(json, 'utf16le')), 'not_utf8', /UTF-16BE/, '1:1'],
    ['UTF-32LE with mark', wide(`\ufeff${json}`), 'not_utf8', /UTF-32LE/, '1:1'],
    ['UTF-32BE', wide(json).swap32(), 'not_utf8', /UTF-32BE/, '1:1'],
    ['Latin-1', Buffer.from('{\n "ä": 1}', 'latin1'), 'not_utf8', /at byte 4 /, '2:3'],
    ['overlong', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'not_utf8', /at byte 1 /, '1:2'],
    ['cut off', Buffer.from('["ä漢').subarray(0, -1), 'not_utf8', /at byte 4 /, '1:4'],
    ['lone surrogate in a key', Buffer.from('{\n "\\udc00": 1}'), 'lone_surrogate', /\\udc00/, '2:3'],
    ['lone surrogate in a value', Buffer.from('{\n "a": "b\\ud800"}'), 'lone_surrogate', /\\ud800/, '2:9'],
  ];
  const correct = encodings.filter(([name, bytes, code, message, where]) => {
    writeFileSync(at('encoded.json'), bytes);
    const { document, findings } = readDocumentFile(at('encoded.json'));
    expect.soft(findings, name).toMatchObject([{ code: `document.${code}`, message: expect.stringMatching(message) }]);
    expect.soft(`${findings[0]?.place.line}:${findings[0]?.place.column}`, name).toBe(where);
    return findings[0]?.severity === 'note' ? document?.value !== undefined : document === undefined;
  });
  expect(correct).toHaveLength(12);
});

test('F4 a key that is inserted a second time is refused with both positions', { timeout: timeoutMs }, () => {
  const ways = fc.record({ gaps: fc.array(fc.constantFrom('', ' ', '\n', '\r\n ')), spelling: fc.array(fc.boolean()) });
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 });
  let refused = 0;
  const property = fc.property(json, ways, fc.tuple(fc.nat(), fc.nat(), fc.nat()), (value, way, picks) => {
    const { text, spots } = printJson(withTwin(treeOf(value), picks), way);
    const twins = spots.filter(({ pointer }) => spots.filter((spot) => spot.pointer === pointer).length === 2);
    const [first, second] = twins.map(({ key }) => lineAndColumn(text, key));
    const { document, findings } = readDocument('a.json', Buffer.from(text));
    expect(document).toBeUndefined();
    expect(findings).toMatchObject([{ code: 'document.duplicate_key', path: twins[0]?.pointer, place: second }]);
    const places = `at line ${first?.line}, column ${first?.column} and at line ${second?.line}, column ${second?.column}.`;
    expect(findings[0]?.message).toContain(places);
    refused++;
  });
  const count = runCount(1000);
  fc.assert(property, count);
  expect(refused).toBe(count.path ? 1 : count.numRuns);
});

const corpus = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));

test('F5 keys such as __proto__ become own properties of every object of a document and change no prototype', () => {
  const value = { a: [{}, [{ b: {} }], { c: { d: {} } }], '': { '{': '{ "x": {' }, 'é\n': [[[{}]]], 7: {}, 1: { toString: {} } };
  const before = prototypes();
  const poisoned = [...poisonEveryObject(JSON.stringify(value, null, 2))];
  for (const { text, offset } of poisoned) {
    const { document, findings } = readDocument('a.json', Buffer.from(text));
    expect(findings).toEqual([]);
    expect(document?.value).toEqual(JSON.parse(text));
    expect(document?.place(`${findPoisoned(document?.value)}/__proto__`)).toMatchObject(lineAndColumn(text, offset));
    expect(prototypes()).toEqual(before);
  }
  expect(poisoned).toHaveLength(12);
});

test('F5 keys such as __proto__ become own properties of every object of the corpus and change no prototype', {
  timeout: timeoutMs,
}, ({ skip }) => {
  skip(!existsSync(corpus), 'the corpus is not beside the project');
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const before = prototypes();
  let objects = 0;
  for (const text of poisonedFiles(files)) {
    const { document } = readDocument('a.json', Buffer.from(text));
    if (findPoisoned(document?.value) !== undefined) objects++;
    else expect.fail(`A key was lost in ${text.slice(0, 200)}`);
  }
  expect(prototypes()).toEqual(before);
  expect(files.length).toBeGreaterThan(100);
  expect(objects).toBeGreaterThan(3000);
});

function sparseFile(file: string, size: number): void {
  const handle = openSync(file, 'w');
  ftruncateSync(handle, size);
  closeSync(handle);
}

/** Adds a second member with the same key to one of the objects of the tree. */
function withTwin(tree: Tree, [object, key, at]: [number, number, number]): Tree {
  const objects = membersIn(tree).filter(({ length }) => length > 0);
  const members = objects[object % objects.length] ?? [];
  const name = members[key % members.length]?.[0] ?? '';
  members.splice(at % (members.length + 1), 0, [name, { leaf: '0' }]);
  return tree;
}

function membersIn(tree: Tree): [string, Tree][][] {
  if ('items' in tree) return tree.items.flatMap(membersIn);
  return 'members' in tree ? [tree.members, ...tree.members.flatMap(([, value]) => membersIn(value))] : [];
}

function* poisonedFiles(names: readonly string[]): Generator<string> {
  for (const name of names) for (const { text } of poisonEveryObject(readFileSync(join(corpus, name), 'utf8'))) yield text;
}
