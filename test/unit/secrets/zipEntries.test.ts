import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { scanEntries } from '../../../src/secrets/scanPackage.js';
import { openVault } from '../../../src/secrets/vault.js';
import { zipOf } from './zipOf.js';

const value = 'hunter2-Zebra';
const vault = openVault(new Map([['token', value]]));

describe('a scan of archives', () => {
  const scan = (archive: Uint8Array, limits = {}) => scanEntries(new Map([['a.zip', archive]]), vault, { limits });
  const findingsOf = (archive: Uint8Array, limits = {}): unknown[] =>
    scan(archive, limits).map((finding) => (finding.where === 'unreadable' ? [finding.entry, finding.why] : finding));

  test('an archive is recognised by its content, with any name and with other bytes before it', () => {
    const archive = zipOf({ 'a.txt': value });
    const hidden = Buffer.concat([Buffer.from('#!/bin/sh\nexit\n'), archive]);
    expect(
      scanEntries(
        new Map([
          ['a.png', archive],
          ['b.run', hidden],
        ]),
        vault,
      ),
    ).toEqual([
      { path: 'a.png', entry: 'a.txt', name: 'token', where: 'content' },
      { path: 'b.run', entry: 'a.txt', name: 'token', where: 'content' },
    ]);
  });

  test('a secret is found in the comment of an archive, and in bytes that belong to no entry', () => {
    expect(scan(zipOf({ 'a.txt': 'clean' }, `by ${value}`))).toEqual([{ path: 'a.zip', name: 'token', where: 'content' }]);
    expect(scan(Buffer.concat([Buffer.from(value), zipOf({ 'a.txt': 'clean' })]))).toHaveLength(1);
  });

  test('an archive that hides its entries with a second directory is reported', () => {
    const hidden = Buffer.concat([zipOf({ 'a.txt': value }, 'x'.repeat(22)).subarray(0, -22), zipOf({})]);
    expect(findingsOf(hidden)).toEqual([[undefined, 'the directory of the archive does not list its first entry']]);
  });

  test('an archive with a zip bomb, or with too much content in all, is reported', () => {
    const bomb = Buffer.alloc(5_000_000);
    expect(findingsOf(zipOf({ bomb }))).toEqual([['bomb', 'the entry unpacks to more than 1048576 bytes']]);
    expect(findingsOf(zipOf({ bomb }), { ratio: 10_000 })).toEqual([]);
    expect(findingsOf(zipOf({ bomb }), { ratio: 10_000, entryBytes: 4_000_000 })).toEqual([
      ['bomb', 'the entry unpacks to more than 4000000 bytes'],
    ]);
    const three = { a: Buffer.alloc(900_000), b: Buffer.alloc(900_000), c: value };
    expect(findingsOf(zipOf(three), { totalBytes: 1_000_000 })).toEqual([
      ['b', 'the entry unpacks to more than 100000 bytes'],
      { path: 'a.zip', entry: 'c', name: 'token', where: 'content' },
    ]);
  });

  test('an archive with many small zip bombs is reported', () => {
    const many = (count: number) =>
      zipOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`bomb${index}`, Buffer.alloc(1_000_000)])));
    expect(findingsOf(many(8))).toEqual([]);
    expect(findingsOf(many(12))).toHaveLength(4);
    expect(findingsOf(many(12))[0]).toEqual(['bomb10', expect.stringMatching(/^the entry unpacks to more than \d+ bytes$/)]);
    expect(findingsOf(many(12), { ratio: 10_000 })).toEqual([]);
  });

  test('an archive with too many entries, or inside too many archives, is reported', () => {
    expect(findingsOf(zipOf({ a: '', b: '', c: '' }), { entries: 2 })).toEqual([
      [undefined, 'the archive has 3 entries, more than 2'],
    ]);
    const deep = zipOf({ 'b.zip': zipOf({ 'c.zip': zipOf({ 'd.txt': value }) }) });
    expect(findingsOf(deep)).toEqual([['b.zip!/c.zip', 'the archive is inside 2 other archives']]);
  });

  test('an archive with an entry that is encrypted, misplaced, damaged or packed in another way is reported', () => {
    const damaged = zipOf({ 'a.txt': 'some text that is long enough to be packed, packed, packed' });
    damaged.fill(0xff, 40, 60);
    const moved = zipOf({ 'a.txt': 'clean', 'b.txt': 'clean' });
    moved.writeUInt32LE(7, moved.length - 22 - 51 + 42);
    expect(findingsOf(zipOf({ a: { content: 'x', flags: 1 } }))).toEqual([['a', 'the entry is encrypted']]);
    expect(findingsOf(zipOf({ a: { content: 'x', method: 12 } }))).toEqual([
      ['a', 'the entry is packed by the unsupported method 12'],
    ]);
    expect(findingsOf(damaged)).toEqual([['a.txt', 'the entry cannot be unpacked']]);
    expect(findingsOf(moved)).toEqual([['b.txt', 'the entry is not where the directory says']]);
  });

  test('an archive that is cut or changed at any place never makes the scan throw', () => {
    const archive = zipOf({ 'a.txt': 'clean', 'b.txt': { content: 'clean', stored: true } });
    for (let at = 4; at < archive.length; at++) {
      expect(findingsOf(archive.subarray(0, at))).toEqual([[undefined, 'the archive has no directory at its end']]);
      for (const byte of [0, 0x7f, 0xff]) {
        const changed = Buffer.from(archive);
        changed[at] = byte;
        for (const finding of scan(changed)) expect(finding.where).toBe('unreadable');
      }
    }
  });

  test('gzip data is not searched, as documented', () => {
    expect(scan(gzipSync(value))).toEqual([]);
  });
});
