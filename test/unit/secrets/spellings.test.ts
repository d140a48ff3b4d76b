import { describe, expect, test } from 'vitest';
import { openVault } from '../../../src/secrets/vault.js';
import { generatedSecrets } from './generatedSecrets.js';

const vault = openVault(
  new Map([
    ['token', 'hunter2-Zebra'],
    ['pin', '4711081513'],
  ]),
);

describe('mask', () => {
  test.for([
    ['colours', 'hun\u001b[31mter2\u001b[0m-Zebra'],
    ['colours in JSON', 'hun\\u001b[31mter2\\u001B[0m-Zebra'],
    ['colours in the output of recipewright', 'hun\\u{1b}[31mter2-Zebra'],
    ['a link', 'hun\u001b]8;;http://a.example/\u001b\\ter2-Zebra'],
    ['a C1 control character', 'hun\u009b1mter2-Zebra'],
    ['a sequence of two characters', 'hun\u001b7ter2-Zebra'],
    ['two sequences at once', 'hunter2\u001b[0m\u001b[1m-Zebra'],
  ])('a secret that is interrupted by %s is masked', ([, text]) => {
    expect(vault.mask(`a ${text} b`)).toBe('a [secret:token] b');
  });

  test.for([
    ['JSON in a URL', '"}/a b', '%5C%22%7D%2Fa%20b'],
    ['JSON safe for HTML', '<&>/"ab', '\\u003c\\u0026\\u003e/\\"ab'],
    ['JSON with escaped slashes', 'ab/cd/"', 'ab\\/cd\\/\\"'],
    ['JSON in ASCII', 'größer', 'gr\\u00f6\\u00DFer'],
    ['JSON three times', 'abc"def', 'abc\\\\\\\\\\\\\\"def'],
    ['JSON of .NET', `a+b'"c\\`, 'a\\u002Bb\\u0027\\u0022c\\\\'],
    ['the query of a URL', "a b'c<d", 'a%20b%27c%3Cd'],
    ['the user of a URL', 'a/b:c@d', 'a%2Fb%3Ac%40d'],
    ['a double-encoded form', 'a b&cde', 'a%2Bb%2526cde'],
    ['a form on a page without a charset', 'pässwörd €π', 'p%E4ssw%F6rd+%80%26%23960%3B'],
    ['a form on a page without a charset, encoded twice', 'pässwörd €π', 'p%25E4ssw%25F6rd%2B%2580%2526%2523960%253B'],
    ['all-percent twice', 'abcdef', '%2561%2562%2563%2564%2565%2566'],
    ['an attribute', `a"b'c&d`, 'a&quot;b&apos;c&amp;d'],
    ['HTML twice', 'abc<def', 'abc&amp;lt;def'],
    ['printf %q', 'a b$c"d', 'a\\ b\\$c\\"d'],
    ['ANSI-C quotes', "a'b\ncdé", "a\\'b\\ncd\\303\\251"],
    ['PowerShell', 'ab$cd"e', 'ab`$cd`"e'],
    ['CSV', 'ab"cd"e', 'ab""cd""e'],
    ['hex with colons', 'abcdef', '61:62:63:64:65:66'],
    ['base64 in a URL', 'ab?>ab?>ab?>', encodeURIComponent(Buffer.from('ab?>ab?>ab?>').toString('base64'))],
    ['decomposed letters', 'größer', 'größer'.normalize('NFD')],
    ['the output of recipewright', 'a\u0007b\u200bcd', 'a\\u{7}b\\u{200b}cd'],
    ['a single line in the output of recipewright', 'ab \n\t cdef', 'ab cdef'],
  ])('a secret is masked in this spelling: %s', ([, value = '', spelling]) => {
    expect(openVault(new Map([['t', value]])).mask(`(${spelling})`)).toBe('([secret:t])');
  });

  test('a secret is masked in base32 at each of five offsets, and in base64 that is broken into lines', () => {
    const value = generatedSecrets(1, 7)[0] ?? '';
    const long = 'The quick brown fox jumps over the lazy dog and back again, 0123456789 times.';
    const lines = Buffer.from(long).toString('base64').replace(/.{76}/g, '$&\n');
    expect(openVault(new Map([['t', long]])).mask(lines)).toMatch(/^\[secret:t\].{0,3}$/);
    for (const before of ['', '1', '12', '123', '1234']) {
      const masked = openVault(new Map([['t', value]])).mask(base32(`${before}${value}!`));
      expect(masked.replace('[secret:t]', '').length).toBeLessThan(14);
      expect(masked).toContain('[secret:t]');
    }
  });
});

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]).join('');
}
