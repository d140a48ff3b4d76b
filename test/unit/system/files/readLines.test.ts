// Files in pieces: lines of any length and any characters, atomic files, and comparisons.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAtomicFile } from '../../../../src/system/files/atomicFile.js';
import { digestFile, openFileComparison } from '../../../../src/system/files/fileDigest.js';
import { readLines } from '../../../../src/system/files/readLines.js';

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

describe('the lines of a file', () => {
  test('readLines returns the lines of a file, whatever their length and wherever a piece ends', () => {
    const file = join(directory(), 'a.jsonl');
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'é'.repeat(131_071), 'x'.repeat(262_144), '😀'.repeat(70_000)),
    );
    const property = fc.property(fc.array(line), fc.boolean(), (strings, ends) => {
      const lines = strings.map((text) => text.replaceAll('\n', ' '));
      writeFileSync(file, lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));
      const expected = readFileSync(file, 'utf8').split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect([...readLines(file)]).toEqual(expected);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('the lines of a file can be iterated again, and an iteration can stop early', () => {
    const file = join(directory(), 'a.jsonl');
    writeFileSync(file, 'a\nb\nc\n');
    const lines = readLines(file);
    for (const line of lines) if (line === 'b') break;
    expect([[...lines], [...lines]]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });
});

describe('an atomic file', () => {
  test('an atomic file has its name only when it is complete, and returns the digest of its content', () => {
    const file = join(directory(), 'deep/a.txt');
    const atomicFile = openAtomicFile(file);
    for (let index = 0; index < 20_000; index++) atomicFile.write(`é${index}\n`);
    atomicFile.write(Buffer.from([0, 255]));
    expect(existsSync(file)).toBe(false);
    const digest = atomicFile.close();
    const bytes = readFileSync(file);
    expect(digest).toEqual({ sha256: hash(bytes), size: bytes.length });
    expect(digestFile(file)).toEqual(digest);
  });

  test('an atomic file that is discarded or cannot be opened leaves no file', () => {
    const dir = directory();
    const one = openAtomicFile(join(dir, 'a'));
    one.write('x');
    one.discard();
    expect(readdirSync(dir)).toEqual([]);
    writeFileSync(join(dir, 'b'), '');
    expect(() => openAtomicFile(join(dir, 'b/c'))).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('a comparison', () => {
  const compare = (file: string, ...pieces: string[]): number | undefined => {
    const comparison = openFileComparison(file);
    for (const piece of pieces) comparison.write(Buffer.from(piece));
    return comparison.end();
  };

  test('a comparison returns the offset of the first difference', () => {
    const file = join(directory(), 'a');
    writeFileSync(file, 'hello world');
    expect(compare(file, 'hello', ' world')).toBeUndefined();
    expect(compare(file, 'hello', ' wOrld', '!')).toBe(7);
    expect(compare(file, 'hello')).toBe(5);
    expect(compare(file, 'hello', ' world!')).toBe(11);
    expect(compare(join(file, 'none'), '')).toBe(0);
  });

  test('a comparison and a digest follow no link', () => {
    const dir = directory();
    writeFileSync(join(dir, 'a'), 'x');
    symlinkSync('a', join(dir, 'b'));
    expect([compare(join(dir, 'b'), 'x'), digestFile(join(dir, 'b')), digestFile(dir)]).toEqual([0, undefined, undefined]);
  });
});
