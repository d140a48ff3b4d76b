import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanEntries, scanFiles } from '../../../src/secrets/scanPackage.js';
import { openVault } from '../../../src/secrets/vault.js';
import { zipOf } from './zipOf.js';

const value = 'hunter2-Zebra';
const vault = openVault(
  new Map([
    ['token', value],
    ['key', 'k3y/of"bob'],
  ]),
);
const base64 = Buffer.from(`user:${value}`).toString('base64');

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'scan-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

test('a scan finds ten planted leaks, in order', () => {
  write('summary.json', `{"reason":"${value}"}`);
  write('trace.json', JSON.stringify({ a: JSON.stringify('k3y/of"bob') }));
  write('logs/out.txt', `Authorization: Basic ${base64}`);
  write('logs/colours.txt', [...value].join('\u001b[1m'));
  write(`shots/${value}.png`, 'clean');
  write('videos/raw.bin', Buffer.concat([Buffer.alloc(5000, 0xff), Buffer.from(value), Buffer.alloc(5000, 0xff)]));
  write(
    'trace.zip',
    zipOf({ 'trace.network': `GET /?t=${value}`, [`res/${value}`]: '', 'plain.txt': { content: value, stored: true } }),
  );
  write('blob.zip', zipOf({ 'inner.zip': zipOf({ 'deep.txt': value }), 'clean.txt': 'clean' }));
  expect(scanFiles(dir, vault)).toEqual([
    { path: 'blob.zip', entry: 'inner.zip!/deep.txt', name: 'token', where: 'content' },
    { path: 'logs/colours.txt', name: 'token', where: 'content' },
    { path: 'logs/out.txt', name: 'token', where: 'content' },
    { path: `shots/${value}.png`, name: 'token', where: 'name' },
    { path: 'summary.json', name: 'token', where: 'content' },
    { path: 'trace.json', name: 'key', where: 'content' },
    { path: 'trace.zip', entry: 'plain.txt', name: 'token', where: 'content' },
    { path: 'trace.zip', entry: 'res/[secret:token]', name: 'token', where: 'name' },
    { path: 'trace.zip', entry: 'trace.network', name: 'token', where: 'content' },
    { path: 'videos/raw.bin', name: 'token', where: 'content' },
  ]);
});

test('a scan has no finding in a package with masks only', () => {
  write('summary.json', vault.mask(`{"reason":"${value}"}`));
  write('trace.zip', zipOf({ 'a.txt': 'hunter2', 'b.zip': zipOf({ 'c.txt': 'Zebra' }) }));
  write('empty.zip', zipOf({}));
  write('empty.txt', '');
  expect(scanFiles(dir, vault)).toEqual([]);
});

test('a scan without secrets reads nothing, and a missing directory has no findings', () => {
  expect(scanFiles('\0', openVault(new Map()))).toEqual([]);
  expect(scanFiles(join(dir, 'missing'), vault)).toEqual([]);
  expect(scanFiles('\0', vault)).toEqual([{ path: '', where: 'unreadable', why: 'ERR_INVALID_ARG_VALUE' }]);
});

test('a scan finds a secret between two chunks of a large file, and never has the whole file in memory', () => {
  const bytes = Buffer.alloc(40 * 2 ** 20, 'x');
  for (const edge of [2 ** 20 - 5, 7 * 2 ** 20 - 1, bytes.length - value.length]) {
    write('large.bin', Buffer.concat([bytes.subarray(0, edge), Buffer.from(value), bytes.subarray(edge + value.length)]));
    const before = process.memoryUsage().arrayBuffers;
    expect(scanFiles(dir, vault)).toEqual([{ path: 'large.bin', name: 'token', where: 'content' }]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(bytes.length);
  }
});

test('a scan finds a secret at the end of a file, even if it is the beginning of a longer secret', () => {
  const two = openVault(
    new Map([
      ['short', 'abcdef'],
      ['long', 'abcdef-and-more'],
    ]),
  );
  expect(scanEntries(new Map([['a.txt', 'it is abcdef']]), two)).toEqual([{ path: 'a.txt', name: 'short', where: 'content' }]);
});

test('a scan does not follow links, but searches their names and targets', ({ skip }) => {
  skip(process.platform === 'win32', 'links need special rights on Windows');
  write('a.txt', 'clean');
  symlinkSync(`/nowhere/${value}`, join(dir, 'link'));
  symlinkSync('/', join(dir, value));
  expect(scanFiles(dir, vault)).toEqual([
    { path: value, name: 'token', where: 'name' },
    { path: 'link', name: 'token', where: 'content' },
  ]);
});

test('a scan does not wait for a named pipe', ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no named pipes in directories');
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  expect(scanFiles(dir, vault)).toEqual([]);
});

test('a scan reports a file that cannot be opened', ({ skip }) => {
  skip(process.platform === 'win32' || process.getuid?.() === 0, 'root may open every file');
  write('a.txt', 'clean');
  chmodSync(join(dir, 'a.txt'), 0);
  expect(scanFiles(dir, vault)).toEqual([{ path: 'a.txt', where: 'unreadable', why: 'EACCES' }]);
});

describe('files in memory', () => {
  test('a scan of files in memory finds names, contents and archive entries', () => {
    const files = new Map<string, string | Uint8Array>([
      [`${value}.txt`, 'clean'],
      ['a.json', `{"a":"${value}"}`],
      ['b.zip', zipOf({ 'c.txt': value })],
    ]);
    expect(scanEntries(files, vault)).toEqual([
      { path: 'a.json', name: 'token', where: 'content' },
      { path: 'b.zip', entry: 'c.txt', name: 'token', where: 'content' },
      { path: `${value}.txt`, name: 'token', where: 'name' },
    ]);
    expect(scanEntries(files, openVault(new Map()))).toEqual([]);
  });
});
