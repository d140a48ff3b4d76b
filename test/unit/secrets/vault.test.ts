import { describe, expect, test } from 'vitest';
import { openVault } from '../../../src/secrets/vault.js';
import { cpuMs } from '../../support/cpuMs.js';
import { generatedSecrets } from './generatedSecrets.js';

const vault = openVault(
  new Map([
    ['token', 'hunter2-Zebra'],
    ['pin', '4711081513'],
  ]),
);

describe('a vault without secrets', () => {
  const empty = openVault(new Map());

  test('a vault without secrets returns the same string, value and bytes', () => {
    const [value, bytes] = [{ a: ['b'] }, Buffer.from('abc')];
    expect(empty.mask('abc')).toBe('abc');
    expect(empty.maskJson(value)).toBe(value);
    expect(empty.openStreamMasker().write(bytes)).toBe(bytes);
    expect(empty.openStreamMasker().end()).toHaveLength(0);
    expect([empty.find(bytes), empty.names, [...empty.refused]]).toEqual([[], [], []]);
  });
});

describe('mask', () => {
  test('a mask contains the name of the secret', () => {
    expect(vault.mask('curl -H "Authorization: hunter2-Zebra" /4711081513')).toBe(
      'curl -H "Authorization: [secret:token]" /[secret:pin]',
    );
    expect(vault.names).toEqual(['token', 'pin']);
  });

  test('a secret is masked in any letter case', () => {
    expect(vault.mask('HUNTER2-zebra')).toBe('[secret:token]');
    expect(openVault(new Map([['t', 'straßeÄÖ']])).mask('STRASSEÄÖ straßeäö')).toBe('[secret:t] [secret:t]');
  });

  test('a mask is never masked again, even if a secret has the name of another secret as its value', () => {
    const odd = openVault(
      new Map([
        ['database', 'first-value'],
        ['other', 'database'],
        ['third', 'secret:d'],
      ]),
    );
    const once = odd.mask('first-value, database, secret:d');
    expect(once).toBe('[secret:database], [secret:other], [secret:third]');
    expect(odd.mask(once)).toBe(once);
    expect(odd.find(Buffer.from(once))).toEqual([]);
  });

  test('overlapping secrets get one mask, and adjacent secrets get two', () => {
    const two = openVault(
      new Map([
        ['a', 'abcdefgh'],
        ['b', 'efghijkl'],
        ['c', 'cdefgh'],
      ]),
    );
    expect(two.mask('<abcdefghijkl>')).toBe('<[secret:a]>');
    expect(two.mask('<abcdefghefghijkl>')).toBe('<[secret:a][secret:b]>');
    expect(two.find(Buffer.from('<abcdefghijkl>'))).toEqual(['a', 'b', 'c']);
  });

  test('of two secrets with the same beginning, the longer one is masked', () => {
    const two = openVault(
      new Map([
        ['short', 'abcdef'],
        ['long', 'abcdef-and-more'],
      ]),
    );
    expect(two.mask('abcdef-and-more abcdef-and-less')).toBe('[secret:long] [secret:short]-and-less');
  });

  test('a secret that ends with a backslash is found before a written escape sequence', () => {
    const ends = openVault(new Map([['path', 'C:\\Zebra-47\\']]));
    const text = String.raw`C:\Zebra-47\\u001b[1mbold`;
    expect(ends.find(Buffer.from(text))).toEqual(['path']);
    expect(ends.mask(text)).not.toContain('Zebra');
    const coloured = String.raw`C:\Zeb${'\u001b[0m'}ra-47\\u001b[1mbold`;
    expect(ends.find(Buffer.from(coloured))).toEqual(['path']);
  });

  test('a mask contains no character of a secret name that could end a string or a tag', () => {
    const odd = openVault(new Map([['a"]</script>\n ü', 'hunter2-Zebra']]));
    expect(odd.mask('x hunter2-Zebra')).toBe('x [secret:a____script___ü]');
  });

  test('a secret is masked without the spaces and line breaks around its value', () => {
    expect(openVault(new Map([['t', ' hunter2-Zebra\r\n']])).mask('(hunter2-Zebra)')).toBe('([secret:t])');
  });

  test('a secret whose value has quotes is also masked without the quotes', () => {
    expect(openVault(new Map([['t', '"hunter2-Zebra"']])).mask('(hunter2-Zebra)')).toBe('([secret:t])');
  });

  test('masking 1 MB with 5 secrets takes at most 20 times as long as one pass for each secret', () => {
    const secrets = generatedSecrets(5);
    const five = openVault(new Map(secrets.map((value, index) => [`s${index}`, value])));
    const text = '{"seq":17,"path":"open/page","output":"The order was found.\\nIt has \\"3\\" lines"}\n'.repeat(12_500);
    expect(text.length).toBeGreaterThan(1_000_000);
    // The time to read each character once in the same process, so that the limit does not depend on the speed of the machine.
    const onePass = () => {
      let sum = 0;
      for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
      return sum;
    };
    const passMs = cpuMs(() => void secrets.map(onePass));
    expect(cpuMs(() => expect(five.mask(text)).toBe(text))).toBeLessThan(20 * passMs);
  });
});
