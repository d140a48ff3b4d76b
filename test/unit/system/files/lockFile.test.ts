// A lock between processes, and what becomes of it when its holder dies.
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

test('is held by one at a time, and nothing is left of it', () => {
  const giveBack = acquireLock(file);
  expect([typeof giveBack, isLocked(file), acquireLock(file)]).toEqual(['function', true, undefined]);
  giveBack?.();
  expect([isLocked(file), readdirSync(dir)]).toEqual([false, []]);
  acquireLock(file)?.();
  expect(readdirSync(dir)).toEqual([]);
});

test.for([
  ['whose number is no process any more', JSON.stringify({ pid: 2 ** 22 + 1, token: 'gone' })],
  ['whose number is another process by now', JSON.stringify(dead)],
  ['that was cut off while it wrote', ''],
  ['that somebody else wrote', 'null'],
  ['with a name that leads elsewhere', JSON.stringify({ pid: 2 ** 22 + 1, token: '../../x' })],
])('of a holder %s is free', ([, text = '']) => {
  writeFileSync(file, text);
  expect(isLocked(file)).toBe(false);
  const giveBack = acquireLock(file);
  expect([typeof giveBack, isLocked(file), acquireLock(file)]).toEqual(['function', true, undefined]);
  giveBack?.();
  expect(readdirSync(dir)).toEqual([]);
});

test('of a dead holder is left to who is about to take it', () => {
  writeFileSync(file, JSON.stringify(dead));
  const other = acquireLock(`${file}.dead`);
  expect(acquireLock(file)).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(dead);
  other?.();
  expect(acquireLock(file)).toBeTypeOf('function');
});

test('is taken also when who was about to take it died', () => {
  writeFileSync(file, JSON.stringify(dead));
  writeFileSync(`${file}.dead`, JSON.stringify({ ...dead, token: 'dead-too' }));
  const giveBack = acquireLock(file);
  expect(isLocked(file)).toBe(true);
  giveBack?.();
  expect(readdirSync(dir)).toEqual([]);
});
