import { describe, expect, test } from 'vitest';
import { openVault } from '../../../src/secrets/vault.js';

const vault = openVault(
  new Map([
    ['token', 'hunter2-Zebra'],
    ['pin', '4711081513'],
  ]),
);

describe('maskJson', () => {
  test('maskJson masks strings, keys and numbers, and does not change the original value', () => {
    const value = { 'x-hunter2-Zebra': ['hunter2-Zebra', 1, null], pin: 4711081513, more: { pins: [-4711081513, 47.5] } };
    const before = structuredClone(value);
    expect(vault.maskJson(value)).toEqual({
      'x-[secret:token]': ['[secret:token]', 1, null],
      pin: '[secret:pin]',
      more: { pins: ['-[secret:pin]', 47.5] },
    });
    expect(value).toEqual(before);
  });

  test('maskJson masks a number that lost digits or leading zeros when it was parsed', () => {
    const odd = openVault(
      new Map([
        ['long', '123456789012345678901234'],
        ['zeros', '00456789'],
        ['small', '0000012'],
      ]),
    );
    expect(odd.maskJson([JSON.parse('123456789012345678901234'), 456789, 12])).toEqual(['[secret:long]', '[secret:zeros]', 12]);
  });

  test('maskJson returns the same object when it has no secret', () => {
    const value = { a: [{ b: 'hunter2' }, 471108, Number.NaN, -0] };
    expect(vault.maskJson(value)).toBe(value);
    expect(vault.maskJson(undefined)).toBeUndefined();
  });

  test('maskJson masks a secret below 100,000 levels', () => {
    let deep: unknown = 'hunter2-Zebra';
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { a: deep };
    let masked = vault.maskJson(deep);
    while (typeof masked === 'object' && masked !== null) masked = Object.values(masked)[0];
    expect(masked).toBe('[secret:token]');
  });

  test('maskJson masks a cyclic object, and keeps the cycle', () => {
    const cyclic: Record<string, unknown> = { text: 'hunter2-Zebra' };
    cyclic.self = cyclic;
    const masked = vault.maskJson(cyclic) as typeof cyclic;
    expect(masked.text).toBe('[secret:token]');
    expect(masked.self).toBe(masked);
  });

  test('maskJson keeps both values when two keys get the same mask, and keeps __proto__ as a key', () => {
    const value = JSON.parse('{"hunter2-Zebra":1,"HUNTER2-ZEBRA":2,"__proto__":{"a":"hunter2-Zebra"}}');
    const masked = vault.maskJson(value);
    expect(JSON.stringify(masked)).toBe('{"[secret:token]":1,"[secret:token] (2)":2,"__proto__":{"a":"[secret:token]"}}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  test('maskJson masks what toJSON returns, and keeps a date without a secret', () => {
    const date = new Date(0);
    const value = { url: new URL('http://a.example/?t=hunter2-Zebra'), date, bad: { toJSON: () => JSON.parse('{') } };
    expect(JSON.stringify(vault.maskJson(value))).toBe(
      '{"url":"http://a.example/?t=[secret:token]","date":"1970-01-01T00:00:00.000Z"}',
    );
    expect(vault.maskJson(date)).toBe(date);
    const selfish = { toJSON: () => ({ selfish, text: 'hunter2-Zebra' }) };
    expect(vault.maskJson(selfish)).toMatchObject({ text: '[secret:token]' });
  });
});
