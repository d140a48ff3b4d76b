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

  test('gives back the same text, value and bytes', () => {
    const [value, bytes] = [{ a: ['b'] }, Buffer.from('abc')];
    expect(empty.mask('abc')).toBe('abc');
    expect(empty.maskJson(value)).toBe(value);
    expect(empty.openStreamMasker().write(bytes)).toBe(bytes);
    expect(empty.openStreamMasker().end()).toHaveLength(0);
    expect([empty.find(bytes), empty.names, [...empty.refused]]).toEqual([[], [], []]);
  });
});

describe('mask', () => {
  test('names the secret it hides', () => {
    expect(vault.mask('curl -H "Authorization: hunter2-Zebra" /4711081513')).toBe(
      'curl -H "Authorization: [secret:token]" /[secret:pin]',
    );
    expect(vault.names).toEqual(['token', 'pin']);
  });

  test('takes no notice of case', () => {
    expect(vault.mask('HUNTER2-zebra')).toBe('[secret:token]');
    expect(openVault(new Map([['t', 'straßeÄÖ']])).mask('STRASSEÄÖ straßeäö')).toBe('[secret:t] [secret:t]');
  });

  test('never masks a mask, even when a secret has the name of another as its value', () => {
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

  test('hides overlapping secrets under one mask, and neighbours under two', () => {
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

  test('hides the longer of two secrets that begin alike', () => {
    const two = openVault(
      new Map([
        ['short', 'abcdef'],
        ['long', 'abcdef-and-more'],
      ]),
    );
    expect(two.mask('abcdef-and-more abcdef-and-less')).toBe('[secret:long] [secret:short]-and-less');
  });

  test('sees a secret that ends with a backslash in front of an escape sequence that is written out', () => {
    const ends = openVault(new Map([['path', 'C:\\Zebra-47\\']]));
    const text = String.raw`C:\Zebra-47\\u001b[1mbold`;
    expect(ends.find(Buffer.from(text))).toEqual(['path']);
    expect(ends.mask(text)).not.toContain('Zebra');
    const coloured = String.raw`C:\Zeb${'\u001b[0m'}ra-47\\u001b[1mbold`;
    expect(ends.find(Buffer.from(coloured))).toEqual(['path']);
  });

  test('keeps a name from ending the text it stands in', () => {
    const odd = openVault(new Map([['a"]</script>\n ü', 'hunter2-Zebra']]));
    expect(odd.mask('x hunter2-Zebra')).toBe('x [secret:a____script___ü]');
  });

  test('finds a secret that a file ends with a line break, and one with spaces around it', () => {
    expect(openVault(new Map([['t', ' hunter2-Zebra\r\n']])).mask('(hunter2-Zebra)')).toBe('([secret:t])');
  });

  test('finds a secret that was given in quotes without them', () => {
    expect(openVault(new Map([['t', '"hunter2-Zebra"']])).mask('(hunter2-Zebra)')).toBe('([secret:t])');
  });

  test('takes a time for 1 MB and 5 secrets that one pass over each takes', () => {
    const secrets = generatedSecrets(5);
    const five = openVault(new Map(secrets.map((value, index) => [`s${index}`, value])));
    const text = '{"seq":17,"path":"open/page","output":"The order was found.\\nIt has \\"3\\" lines"}\n'.repeat(12_500);
    expect(text.length).toBeGreaterThan(1_000_000);
    // What it costs to look at each character once, in the same process: its own speed is the measure.
    const onePass = () => {
      let sum = 0;
      for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
      return sum;
    };
    const passMs = cpuMs(() => void secrets.map(onePass));
    expect(cpuMs(() => expect(five.mask(text)).toBe(text))).toBeLessThan(20 * passMs);
  });
});
