import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readBounded } from '../../../../src/system/files/readBounded.js';

const dir = mkdtempSync(join(tmpdir(), 'read-bounded-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('readBounded returns the bytes of a file up to the limit, and only the size of a larger file', () => {
  const file = join(dir, 'a');
  writeFileSync(file, 'abc');
  expect(readBounded(file, 3)).toEqual({ bytes: Buffer.from('abc') });
  expect(readBounded(file, 2)).toEqual({ size: 3 });
});

test('readBounded reads at most one byte above the limit of a file that reports the size 0', ({ skip }) => {
  skip(process.platform !== 'linux', 'there is no /proc');
  expect(readBounded('/proc/self/maps', 100)).toEqual({ size: 101 });
  const whole = readBounded('/proc/self/maps', 1_000_000);
  expect('bytes' in whole && whole.bytes.toString()).toMatch(/^[0-9a-f]+-[0-9a-f]+[\s\S]*\n$/);
});

test('readBounded never throws for any path', () => {
  for (const path of ['', '\0', '/', '.', 'x'.repeat(100_000), '\ud800', '/dev/full'])
    expect(readBounded(path, 10)).not.toHaveProperty('bytes');
});
