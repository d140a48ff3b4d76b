// Masking of any secrets, in any text, and in any chunks.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listSpellings } from '../../src/secrets/spellings.js';
import { openVault, type Vault } from '../../src/secrets/vault.js';
import { secretValue } from '../unit/secrets/generatedSecrets.js';
import { assertRule } from './assertRule.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;

/** Similar secrets with equal beginnings, ends and repetitions, so that they overlap in every way. */
const similarSecret = fc
  .array(fc.constantFrom('ab', 'ba', 'a', '\\', '%', '\u001b[1m', '[', 'é', '+'), { minLength: 4, maxLength: 8 })
  .map((parts) => `${parts.join('')}xyabab`);
const values = fc.array(fc.oneof(secretValue, similarSecret), { minLength: 1, maxLength: 4 });

type TextWithSecrets = { vault: Vault; text: string };

/** A text with secrets in all their spellings, parts of secrets, masks, colours and other strings. */
const textWithSecrets: fc.Arbitrary<TextWithSecrets> = values.chain((secrets) => {
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

test('a stream in any chunks is masked like the whole text', { timeout }, () => {
  const property = fc.property(textWithSecrets, sizes, ({ vault, text }, lengths) => {
    const masker = vault.openStreamMasker();
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const end = at + (lengths[turn % lengths.length] ?? 1);
      // The owner of a chunk may reuse its memory after `write` returned.
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

test('a masked text has no secret, and does not change when it is masked again', { timeout }, () => {
  const property = fc.property(textWithSecrets, ({ vault, text }) => {
    const masked = vault.mask(text);
    expect(vault.find(Buffer.from(masked))).toEqual([]);
    expect(vault.mask(masked)).toBe(masked);
  });
  fc.assert(property, runCount(200, 2_500));
});

test('masking does not change a text without a secret, or the text around a secret', { timeout }, () => {
  const harmlessText = fc.string({ unit: fc.constantFrom('k', 'j', '\n', ' ', 'ж', '😀', '{') });
  const property = fc.property(harmlessText, harmlessText, secretValue, (before, after, value) => {
    fc.pre(!/[kj{\nж😀 ]/iu.test(value));
    const vault = openVault(new Map([['s', value]]));
    assertRule(vault.mask(before) === before, 'the same text');
    expect(vault.mask(`${before}${value}${after}`)).toBe(`${before}[secret:s]${after}`);
  });
  fc.assert(property, runCount(200, 2_500));
});

test('maskJson leaves no secret in a key, string or number, and returns the same object when there was none', { timeout }, () => {
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

test('masking and searching never throw, with any secrets and any values', { timeout }, () => {
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

/** Counts the values. No value may get lost when two keys get the same mask. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countOf(inner), 1);
}
