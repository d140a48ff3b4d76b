import { describe, expect, test } from 'vitest';
import { openVault } from '../../../src/secrets/vault.js';

const vault = openVault(
  new Map([
    ['token', 'hunter2-Zebra'],
    ['pin', '4711081513'],
  ]),
);

describe('a stream masker', () => {
  test('a stream masker keeps back only bytes that may be the beginning of a secret', () => {
    const masker = vault.openStreamMasker();
    expect(masker.write(Buffer.from('ready\n')).toString()).toBe('ready\n');
    expect(masker.write(Buffer.from('it is hunt')).toString()).toBe('it is ');
    expect(masker.write(Buffer.from('ing time\n')).toString()).toBe('hunting time\n');
    expect(masker.write(Buffer.from('hunter2-Ze')).toString()).toBe('');
    expect(masker.end().toString()).toBe('hunter2-Ze');
    expect(masker.found.size).toBe(0);
  });

  test('a stream masker does not change bytes that are not text', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const masker = vault.openStreamMasker();
    const parts = [masker.write(bytes), masker.write(Buffer.from('hunter2-Zebra')), masker.write(bytes), masker.end()];
    expect(Buffer.concat(parts)).toEqual(Buffer.concat([bytes, Buffer.from('[secret:token]'), bytes]));
  });

  test('a stream masker keeps back only a limited part of an endless escape sequence', () => {
    const masker = vault.openStreamMasker();
    masker.write(Buffer.from('\u001b]0;'));
    let written = 0;
    for (let count = 0; count < 100; count++) written += masker.write(Buffer.alloc(1000, 'x')).length;
    expect(written).toBeGreaterThan(90_000);
  });

  test.for([
    ['after a title that never ends', '\u001b]0;', 'hunter2-Zebra', ''],
    ['in colours after a sequence that never ends', '\u001b_', 'hun\u009b1mter2-Zebra', ''],
    ['in colours inside a title', '\u001b]0;', 'hun\u009b1mter2-Zebra', '\u0007'],
    ['interrupted by a link', '', 'hun\u001b]8;;http://a\u0007ter2-Zebra', ' \u001b]0;'],
  ])('a stream masker masks a secret %s, at any cut between two chunks', ([, before, text, after]) => {
    const bytes = Buffer.from(`${before}${text}${after}`);
    for (let at = 0; at <= bytes.length; at++) {
      const masker = vault.openStreamMasker();
      const parts = [masker.write(bytes.subarray(0, at)), masker.write(bytes.subarray(at)), masker.end()];
      expect(Buffer.concat(parts).toString()).toBe(`${before}[secret:token]${after}`);
    }
  });

  test('a stream masker does not mask a part of a mask that arrives in two chunks', () => {
    const odd = openVault(
      new Map([
        ['database', 'first-value'],
        ['other', 'database'],
        ['third', 'database]xyz'],
      ]),
    );
    const text = 'a [secret:database] b';
    for (let at = 0; at <= text.length; at++) {
      const masker = odd.openStreamMasker();
      const parts = [text.slice(0, at), text.slice(at)].map((part) => masker.write(Buffer.from(part)));
      expect(Buffer.concat([...parts, masker.end()]).toString()).toBe(text);
      expect(masker.found.size).toBe(0);
    }
  });

  test('a stream masker does not treat a letter of an escape sequence as the first letter of a secret', () => {
    const odd = openVault(new Map([['token', 'mxhunter2']]));
    const text = 'a \u001b[31mx\u001b[0mhunter2 b';
    expect(odd.mask(text)).toBe(text);
    for (let at = 0; at <= text.length; at++) {
      const masker = odd.openStreamMasker();
      const parts = [text.slice(0, at), text.slice(at)].map((part) => masker.write(Buffer.from(part)));
      expect(Buffer.concat([...parts, masker.end()]).toString()).toBe(text);
    }
  });
});
