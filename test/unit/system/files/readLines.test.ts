// Files in pieces: lines of any length, in any encoding of UTF-8, and files that are only moved to their name when they are whole.
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
  test('are those of its text, however long they are and wherever a piece ends', () => {
    const file = join(directory(), 'a.jsonl');
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'é'.repeat(131_071), 'x'.repeat(262_144), '😀'.repeat(70_000)),
    );
    const property = fc.property(fc.array(line), fc.boolean(), (given, ends) => {
      const lines = given.map((text) => text.replaceAll('\n', ' '));
      writeFileSync(file, lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));
      const expected = readFileSync(file, 'utf8').split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect([...readLines(file)]).toEqual(expected);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('can be gone through again, and left early', () => {
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

describe('a file that is written bit by bit', () => {
  test('has its name only when it is whole, and says what it holds', () => {
    const file = join(directory(), 'deep/a.txt');
    const whole = openAtomicFile(file);
    for (let index = 0; index < 20_000; index++) whole.write(`é${index}\n`);
    whole.write(Buffer.from([0, 255]));
    expect(existsSync(file)).toBe(false);
    const digest = whole.close();
    const bytes = readFileSync(file);
    expect(digest).toEqual({ sha256: hash(bytes), size: bytes.length });
    expect(digestFile(file)).toEqual(digest);
  });

  test('leaves nothing when it is given up, before and after it failed to be moved', () => {
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
  const compared = (file: string, ...pieces: string[]): number | undefined => {
    const comparison = openFileComparison(file);
    for (const piece of pieces) comparison.write(Buffer.from(piece));
    return comparison.end();
  };

  test('says where a file first holds something else', () => {
    const file = join(directory(), 'a');
    writeFileSync(file, 'hello world');
    expect(compared(file, 'hello', ' world')).toBeUndefined();
    expect(compared(file, 'hello', ' wOrld', '!')).toBe(7);
    expect(compared(file, 'hello')).toBe(5);
    expect(compared(file, 'hello', ' world!')).toBe(11);
    expect(compared(join(file, 'none'), '')).toBe(0);
  });

  test('follows no link', () => {
    const dir = directory();
    writeFileSync(join(dir, 'a'), 'x');
    symlinkSync('a', join(dir, 'b'));
    expect([compared(join(dir, 'b'), 'x'), digestFile(join(dir, 'b')), digestFile(dir)]).toEqual([0, undefined, undefined]);
  });
});
