// Masking on any secrets, any text around them and any way to cut it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listSpellings } from '../../src/secrets/spellings.js';
import { openVault, type Vault } from '../../src/secrets/vault.js';
import { secretValue } from '../unit/secrets/generatedSecrets.js';
import { claim } from './claim.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;

/** Secrets that begin, end and repeat like each other, so that they overlap in every way. */
const alike = fc
  .array(fc.constantFrom('ab', 'ba', 'a', '\\', '%', '\u001b[1m', '[', 'é', '+'), { minLength: 4, maxLength: 8 })
  .map((parts) => `${parts.join('')}xyabab`);
const values = fc.array(fc.oneof(secretValue, alike), { minLength: 1, maxLength: 4 });

type Written = { vault: Vault; text: string };

/** A text made of secrets in all their spellings, pieces of them, masks, colours and other things. */
const written: fc.Arbitrary<Written> = values.chain((secrets) => {
  const vault = openVault(new Map(secrets.map((value, index) => [`s${index}`, value])));
  const whole = fc.constantFrom(...secrets).chain((value) => fc.constantFrom(...listSpellings(value)));
  const piece = fc.tuple(whole, fc.nat(20), fc.nat(20)).map(([text, from, to]) => text.slice(from, text.length - to));
  const colour = fc.constantFrom(
    '\u001b[0m',
    '\u001b[38;5;1m',
    '\\u001b[1m',
    '\\u{1b}[1m',
    '\u001b]8;;http://a\u0007',
    '\u009b1m',
    '\u001b',
    '\\',
    '\u001b[',
  );
  const coloured = fc.tuple(whole, colour).map(([text, between]) => [...text].join(between));
  const other = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom('[secret:s0]', '[secret:', 'a', 'b', ' '),
  );
  const parts = fc.array(fc.oneof(whole, piece, coloured, colour, other), { maxLength: 8 });
  return parts.map((all) => ({ vault, text: all.join('') }));
});

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

test('a stream is masked as the whole text is, wherever it is cut', { timeout }, () => {
  const property = fc.property(written, sizes, ({ vault, text }, lengths) => {
    const masker = vault.openStreamMasker();
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const end = at + (lengths[turn % lengths.length] ?? 1);
      // The owner of a chunk may fill it again as soon as it was given out.
      const chunk = Buffer.from(bytes.subarray(at, end));
      pieces.push(Buffer.from(masker.write(chunk)));
      chunk.fill(0);
      at = end;
    }
    expect(Buffer.concat([...pieces, masker.end()]).toString()).toBe(vault.mask(bytes.toString()));
    expect([...masker.found].sort()).toEqual(vault.find(bytes));
  });
  fc.assert(property, runCount(200, 2_500));
});

test('nothing is found in what was masked, and masking it again changes nothing', { timeout }, () => {
  const property = fc.property(written, ({ vault, text }) => {
    const masked = vault.mask(text);
    expect(vault.find(Buffer.from(masked))).toEqual([]);
    expect(vault.mask(masked)).toBe(masked);
  });
  fc.assert(property, runCount(200, 2_500));
});

test('a text without a secret is given back as it is, and one with a secret keeps everything else', { timeout }, () => {
  const around = fc.string({ unit: fc.constantFrom('k', 'j', '\n', ' ', 'ж', '😀', '{') });
  const property = fc.property(around, around, secretValue, (before, after, value) => {
    fc.pre(!/[kj{\nж😀 ]/iu.test(value));
    const vault = openVault(new Map([['s', value]]));
    claim(vault.mask(before) === before, 'the same text');
    expect(vault.mask(`${before}${value}${after}`)).toBe(`${before}[secret:s]${after}`);
  });
  fc.assert(property, runCount(200, 2_500));
});

test('JSON holds no secret in any key, text or number afterwards, and is the same object when it held none', { timeout }, () => {
  const digits = fc.integer({ min: 100_000, max: 2 ** 40 });
  const inputs = fc.tuple(secretValue, digits).chain(([value, number]) => {
    const leaf = fc.oneof(
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>(value, `a ${value} b`, JSON.stringify(value), number, -number, `${number}`),
      },
      { weight: 4, arbitrary: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
    );
    const key = fc.oneof(fc.string(), fc.constantFrom(value, `${number}`, '__proto__', 'constructor'));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    return tree.map((json) => ({
      vault: openVault(
        new Map([
          ['s', value],
          ['n', `${number}`],
        ]),
      ),
      json,
    }));
  });
  const property = fc.property(inputs, ({ vault, json }) => {
    const before = JSON.stringify(json);
    const masked = vault.maskJson(json);
    const after = JSON.stringify(masked);
    expect(vault.find(Buffer.from(after))).toEqual([]);
    expect(JSON.stringify(json)).toBe(before);
    if (vault.find(Buffer.from(before)).length === 0) expect(masked).toBe(json);
    expect(countOf(masked)).toBe(countOf(json));
  });
  fc.assert(property, runCount(200, 2_500));
});

test('nothing makes it throw', { timeout }, () => {
  const anything = fc.string({ unit: 'binary', maxLength: 60 });
  const property = fc.property(
    fc.array(anything, { maxLength: 4 }),
    anything,
    fc.uint8Array(),
    fc.anything(),
    (secrets, text, bytes, value) => {
      const vault = openVault(new Map(secrets.map((secret, index) => [text.slice(index), secret])));
      vault.mask(text);
      vault.find(bytes);
      vault.maskJson(value);
      const masker = vault.openStreamMasker();
      masker.write(Buffer.from(bytes));
      masker.end();
    },
  );
  fc.assert(property, runCount(200, 2_500));
});

/** How many values there are; none may get lost when keys become alike. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1);
}
