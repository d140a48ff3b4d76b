import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { scanEntries } from '../../../src/secrets/scanPackage.js';
import { openVault } from '../../../src/secrets/vault.js';
import { zipOf } from './zipOf.js';

const value = 'hunter2-Zebra';
const vault = openVault(new Map([['token', value]]));

describe('archives', () => {
  const scan = (archive: Uint8Array, limits = {}) => scanEntries(new Map([['a.zip', archive]]), vault, { limits });
  const why = (archive: Uint8Array, limits = {}): unknown[] =>
    scan(archive, limits).map((one) => (one.where === 'unreadable' ? [one.entry, one.why] : one));

  test('are known by their content, whatever they are called and whatever stands around them', () => {
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

  test('hold secrets also in a comment and in bytes that no entry names', () => {
    expect(scan(zipOf({ 'a.txt': 'clean' }, `by ${value}`))).toEqual([{ path: 'a.zip', name: 'token', where: 'content' }]);
    expect(scan(Buffer.concat([Buffer.from(value), zipOf({ 'a.txt': 'clean' })]))).toHaveLength(1);
  });

  test('that hide their entries behind a second directory are not taken for clean', () => {
    const hidden = Buffer.concat([zipOf({ 'a.txt': value }, 'x'.repeat(22)).subarray(0, -22), zipOf({})]);
    expect(why(hidden)).toEqual([[undefined, 'the directory of the archive does not list its first entry']]);
  });

  test('that unpack to far more than they are, or to too much together, are not taken for clean', () => {
    const bomb = Buffer.alloc(5_000_000);
    expect(why(zipOf({ bomb }))).toEqual([['bomb', 'the entry unpacks to more than 1048576 bytes']]);
    expect(why(zipOf({ bomb }), { ratio: 10_000 })).toEqual([]);
    expect(why(zipOf({ bomb }), { ratio: 10_000, entryBytes: 4_000_000 })).toEqual([
      ['bomb', 'the entry unpacks to more than 4000000 bytes'],
    ]);
    const three = { a: Buffer.alloc(900_000), b: Buffer.alloc(900_000), c: value };
    expect(why(zipOf(three), { totalBytes: 1_000_000 })).toEqual([
      ['b', 'the entry unpacks to more than 100000 bytes'],
      { path: 'a.zip', entry: 'c', name: 'token', where: 'content' },
    ]);
  });

  test('that unpack to far more than they are by many small entries are not taken for clean', () => {
    const many = (count: number) =>
      zipOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`bomb${index}`, Buffer.alloc(1_000_000)])));
    expect(why(many(8))).toEqual([]);
    expect(why(many(12))).toHaveLength(4);
    expect(why(many(12))[0]).toEqual(['bomb10', expect.stringMatching(/^the entry unpacks to more than \d+ bytes$/)]);
    expect(why(many(12), { ratio: 10_000 })).toEqual([]);
  });

  test('that have too many entries, or lie too deep, are not taken for clean', () => {
    expect(why(zipOf({ a: '', b: '', c: '' }), { entries: 2 })).toEqual([[undefined, 'the archive has 3 entries, more than 2']]);
    const deep = zipOf({ 'b.zip': zipOf({ 'c.zip': zipOf({ 'd.txt': value }) }) });
    expect(why(deep)).toEqual([['b.zip!/c.zip', 'the archive is inside 2 other archives']]);
  });

  test('whose entries are encrypted, packed in another way, misplaced or damaged are not taken for clean', () => {
    const damaged = zipOf({ 'a.txt': 'some text that is long enough to be packed, packed, packed' });
    damaged.fill(0xff, 40, 60);
    const moved = zipOf({ 'a.txt': 'clean', 'b.txt': 'clean' });
    moved.writeUInt32LE(7, moved.length - 22 - 51 + 42);
    expect(why(zipOf({ a: { content: 'x', flags: 1 } }))).toEqual([['a', 'the entry is encrypted']]);
    expect(why(zipOf({ a: { content: 'x', method: 12 } }))).toEqual([['a', 'the entry is packed by the unsupported method 12']]);
    expect(why(damaged)).toEqual([['a.txt', 'the entry cannot be unpacked']]);
    expect(why(moved)).toEqual([['b.txt', 'the entry is not where the directory says']]);
  });

  test('that are cut or changed anywhere are read or reported, and never make it throw', () => {
    const archive = zipOf({ 'a.txt': 'clean', 'b.txt': { content: 'clean', stored: true } });
    for (let at = 4; at < archive.length; at++) {
      expect(why(archive.subarray(0, at))).toEqual([[undefined, 'the archive has no directory at its end']]);
      for (const byte of [0, 0x7f, 0xff]) {
        const changed = Buffer.from(archive);
        changed[at] = byte;
        for (const one of scan(changed)) expect(one.where).toBe('unreadable');
      }
    }
  });

  test('packed by gzip are not looked into, which is documented', () => {
    expect(scan(gzipSync(value))).toEqual([]);
  });
});
