// A lock between processes, and how another process takes the lock over when its holder dies.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, isLocked } from '../../../../src/system/files/lockFile.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  file = join(dir, 'run.lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

const dead = { pid: process.pid, since: '1', token: 'dead' };

test('a lock has one holder at a time, and leaves no file after its release', () => {
  const release = acquireLock(file);
  expect([typeof release, isLocked(file), acquireLock(file)]).toEqual(['function', true, undefined]);
  release?.();
  expect([isLocked(file), readdirSync(dir)]).toEqual([false, []]);
  acquireLock(file)?.();
  expect(readdirSync(dir)).toEqual([]);
});

test.for([
  ['of a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, token: 'gone' })],
  ['of a process whose pid another process has now', JSON.stringify(dead)],
  ['that is empty', ''],
  ['of another program', 'null'],
  ['with a token that is a path', JSON.stringify({ pid: 2 ** 22 + 1, token: '../../x' })],
])('a lock file %s does not lock', ([, text = '']) => {
  writeFileSync(file, text);
  expect(isLocked(file)).toBe(false);
  const release = acquireLock(file);
  expect([typeof release, isLocked(file), acquireLock(file)]).toEqual(['function', true, undefined]);
  release?.();
  expect(readdirSync(dir)).toEqual([]);
});

test('acquireLock fails while another process takes over the lock of a dead holder', () => {
  writeFileSync(file, JSON.stringify(dead));
  const other = acquireLock(`${file}.dead`);
  expect(acquireLock(file)).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(dead);
  other?.();
  expect(acquireLock(file)).toBeTypeOf('function');
});

test('acquireLock succeeds when the process that took over the lock has died too', () => {
  writeFileSync(file, JSON.stringify(dead));
  writeFileSync(`${file}.dead`, JSON.stringify({ ...dead, token: 'dead-too' }));
  const release = acquireLock(file);
  expect(isLocked(file)).toBe(true);
  release?.();
  expect(readdirSync(dir)).toEqual([]);
});
