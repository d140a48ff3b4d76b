// F41, F42, F43: secrets in other encodings, secrets that chunk boundaries split, and values that must not be masked.
import { describe, expect, test } from 'vitest';
import { findWeakness } from '../../src/secrets/secretFragments.js';
import { openVault } from '../../src/secrets/vault.js';
import { cores, exact, unmaskedSpellings } from '../unit/secrets/foreignSpellings.js';
import { generatedSecrets } from '../unit/secrets/generatedSecrets.js';

const secrets = generatedSecrets(50);
const vaultOf = (value: string) => openVault(new Map([['token', value]]));
const mask = '[secret:token]';

describe('F41 a secret in 27 spellings', () => {
  test('of 27 spellings of 50 secrets, 20 are masked whole, 4 are masked except their ends, and 3 are not masked', () => {
    expect([exact, cores, unmaskedSpellings].map((kind) => Object.keys(kind).length)).toEqual([20, 4, 3]);
    expect(new Set(secrets).size).toBe(50);
    expect(secrets.filter((value) => /[^\w]/.test(value)).length).toBeGreaterThan(20);
    expect(secrets.filter((value) => /[^ -~]/.test(value)).length).toBeGreaterThan(10);
  });

  test.for(Object.keys(exact))('a secret in the spelling "%s" is masked whole', (name) => {
    const masked = secrets.filter((value) => {
      const vault = vaultOf(value);
      const spelled = exact[name]?.(value) ?? '';
      return vault.mask(`<i>${spelled}</i>`) === `<i>${mask}</i>` && vault.find(Buffer.from(spelled)).join() === 'token';
    });
    expect(masked).toEqual(secrets);
  });

  test.for(Object.keys(cores))(
    'a secret in the spelling "%s" is masked except for up to three characters on each side',
    (name) => {
      const masked = secrets.filter((value) => {
        const spelled = cores[name]?.(value) ?? '';
        const [before = '', after = '', ...more] = vaultOf(value).mask(spelled).split(mask);
        return more.length === 0 && before.length <= 3 && after.replace(/=+$/, '').length <= 3 && spelled.startsWith(before);
      });
      expect(masked).toEqual(secrets);
    },
  );

  test.for(Object.keys(unmaskedSpellings))('a secret in the spelling "%s" is not masked', (name) => {
    const found = secrets.filter((value) => vaultOf(value).find(unmaskedSpellings[name]?.(value) ?? Buffer.alloc(0)).length > 0);
    expect(found).toEqual([]);
  });
});

describe('F42 a secret cut by chunk boundaries', () => {
  const maskChunks = (value: string, chunks: readonly Buffer[]): string => {
    const masker = vaultOf(value).openStreamMasker();
    return Buffer.concat([...chunks.map((chunk) => masker.write(chunk)), masker.end()]).toString();
  };

  test('a secret is masked at every split point of 50 secrets in four spellings', () => {
    let splits = 0;
    for (const value of secrets) {
      const vault = vaultOf(value);
      for (const name of ['raw', 'JSON twice', 'all-percent, lower', 'ANSI-split']) {
        const bytes = Buffer.from(`before ${exact[name]?.(value)} after`);
        for (let at = 0; at <= bytes.length; at++, splits++) {
          const masker = vault.openStreamMasker();
          const parts = [masker.write(bytes.subarray(0, at)), masker.write(bytes.subarray(at)), masker.end()];
          expect(Buffer.concat(parts).toString()).toBe(`before ${mask} after`);
        }
      }
    }
    expect(splits).toBeGreaterThan(10_000);
  });

  test('a secret is masked in 10,000 random splits into many chunks', () => {
    const random = randomFrom(42);
    const spelled = Object.values(exact);
    const vaults = secrets.map(vaultOf);
    for (let round = 0; round < 10_000; round++) {
      const index = round % secrets.length;
      const value = secrets[index] ?? '';
      const parts = Array.from({ length: 3 }, () => spelled[random(spelled.length)]?.(value) ?? '');
      const bytes = Buffer.from(`x ${parts.join(' , ')} y`);
      const masker = vaults[index]?.openStreamMasker();
      const pieces: (Buffer | undefined)[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + random(9);
        pieces.push(masker?.write(bytes.subarray(at, end)));
        at = end;
      }
      const printed = Buffer.concat([...pieces, masker?.end()].filter((piece) => piece !== undefined)).toString();
      if (printed !== `x ${parts.map(() => mask).join(' , ')} y`) expect([round, bytes.toString(), printed]).toEqual([]);
    }
  });

  test('a secret leaks at every split point when each chunk is masked alone, so the tests above can fail', () => {
    const value = secrets[0] ?? '';
    const vault = vaultOf(value);
    for (let at = 1; at < value.length; at++) {
      expect(vault.mask(value.slice(0, at)) + vault.mask(value.slice(at))).toBe(value);
      expect(maskChunks(value, [Buffer.from(value.slice(0, at)), Buffer.from(value.slice(at))])).toBe(mask);
    }
  });
});

describe('F43 weak secrets and stray masks', () => {
  const json = JSON.stringify(
    { user: 'bob', key: 'k3y-of-bob', nested: [{ pin: 'ab12', url: 'https://b.example' }], n: 123456 },
    null,
    2,
  );
  const pem = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU\nshort line\n-----END PRIVATE KEY-----\n`;

  test.for([
    ['fewer than six characters', 'abc12', /fewer than 6 characters/],
    ['six characters with white space around five', ' abc12\n', /fewer than 6 characters/],
    ['one character repeated', '********', /one character repeated/],
    ['a word that programs print', 'Undefined', /print by themselves/],
  ] as const)('the vault refuses a secret with %s, and the reason does not contain the value', ([, value, why]) => {
    expect(findWeakness(value)).toMatch(why);
    expect(findWeakness(value)).not.toContain(value.trim());
    const vault = openVault(new Map([['token', value]]));
    expect([...vault.refused]).toEqual([['token', findWeakness(value)]]);
    expect(vault.names).toEqual([]);
    expect(vault.mask(`a ${value} b`)).toBe(`a ${value} b`);
  });

  test('the vault accepts a secret of six characters', () => {
    expect(findWeakness('abc123')).toBeUndefined();
    expect(vaultOf('abc123').mask('-abc123-')).toBe(`-${mask}-`);
  });

  test('a JSON secret is masked as a whole and in its long strings, but not in its lines, keys, numbers and short strings', () => {
    const vault = vaultOf(json);
    expect(vault.mask('k3y-of-bob at https://b.example')).toBe(`${mask} at ${mask}`);
    expect(vault.mask(json)).toBe(mask);
    const harmless = ['{', '  "user": "bob",', '  "nested": [', '    "pin": "ab12",', '  "n": 123456', '}'].join('\n');
    expect(vault.mask(harmless)).toBe(harmless);
  });

  test('a secret key file is masked as a whole and in each long line, but not in its headers and short lines', () => {
    const vault = vaultOf(pem);
    expect(vault.mask(`key: ${pem}`)).toBe(`key: ${mask}\n`);
    expect(vault.mask(pem.replaceAll('\n', '\n  | '))).toBe(
      `-----BEGIN PRIVATE KEY-----\n  | ${mask}\n  | ${mask}\n  | short line\n  | -----END PRIVATE KEY-----\n  | `,
    );
  });

  test('masking does not change a string of 1 MB that contains none of 50 secrets', () => {
    const vault = openVault(new Map([...secrets, json, pem].map((value, index) => [`s${index}`, value])));
    const text = plainText(1_000_000);
    expect(vault.mask(text)).toBe(text);
    expect(vault.mask(`${text}${secrets[7]}`)).toBe(`${text}[secret:s7]`);
  });
});

/** Generates a string of prose, JSON, HTML, URLs, base64, hex and terminal colours. */
function plainText(length: number): string {
  const random = randomFrom(43);
  const words =
    'the order token was not found in basket {"id":17,"ok":true} <b class="x">&amp;</b> %20%3Fa=b \\u0041 \u001b[1mbold\u001b[0m'.split(
      ' ',
    );
  let text = '';
  while (text.length < length) {
    const noise = Buffer.from(Array.from({ length: 12 }, () => random(256)));
    const word = words[random(words.length)];
    text += `${word} ${random(9) === 0 ? noise.toString('base64') : ''}${random(9) === 0 ? noise.toString('hex') : ''}\n`;
  }
  return text;
}

/** A random number generator with a seed, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
