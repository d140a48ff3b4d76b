import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type JournalEntry, lineModel } from '../../../src/evidence/journal.js';
import { maskEntry } from '../../../src/evidence/maskEntry.js';
import { openVault } from '../../../src/secrets/vault.js';

const at = (path: string) => ({ path, visit: 1, attempt: 0 });
const secret = 'hunter2-Zebra';
const vaultOf = (...values: string[]) => openVault(new Map(values.map((value, index) => [`s${index}`, value])));

/** Creates entries in which every free text is `free`, and every other string is `id` or `cause`. */
function entriesWith({ id, cause, free }: { id: string; cause: 'subject' | 'unknown'; free: string }): JournalEntry[] {
  const comparison = { operator: id, path: `$.${id}`, source: id, expected: free, actual: [free], held: false };
  const tool = { name: id, version: id };
  return [
    {
      ...{ t: 'run', ...at(''), run: id, recipe: { id, digest: id, title: free }, tool, host: tool },
      inputs: { [id]: { value: { a: free }, origin: 'recipe' } },
      targets: [{ id, claim: free, visible: true, blocked: free }],
    },
    {
      ...{ t: 'begin', ...at(`${id}/${id}#2`), action: id, intent: free, phase: id, record: id, proofTarget: id },
      decision: { skip: free, items: 3 },
    },
    {
      ...{ t: 'end', ...at(id), ms: 3, ok: false, status: 'unknown', next: id, signal: id },
      decision: { case: id, fired: [1] },
      asserts: [
        { ...comparison, proofTarget: id },
        { operator: 'all', path: '$', held: false, comparisons: [comparison] },
      ],
      output: { [free]: free },
      artifacts: [
        {
          ...{ path: `logs/${free}.txt`, type: id, category: id, label: free, nodeId: id, proofTarget: id },
          ...{ mimeType: id, sha256: id, size: 7 },
        },
      ],
      error: { code: id, message: free, cause_class: cause },
    },
  ];
}

describe('maskEntry', () => {
  test('masking changes every free text of the three kinds of lines, and nothing else', () => {
    const entries = entriesWith({ id: 'open-page', cause: 'subject', free: `a ${secret} b` });
    const masked = entries.map((entry) => maskEntry(entry, vaultOf(secret)));
    expect(masked).toEqual(entriesWith({ id: 'open-page', cause: 'subject', free: 'a [secret:s0] b' }));
    expect(JSON.stringify(masked)).not.toContain(secret);
  });

  test.for(['subject', 'unknown', 'proof_window', 'open-page', 'recipe', 'falsy-1'])(
    'masking a secret with the value %j keeps verdicts, enums and ids',
    (word) => {
      const words = { id: word, cause: word === 'unknown' ? 'unknown' : 'subject' } as const;
      const masked = entriesWith({ ...words, free: `a ${word} b` }).map((entry) => maskEntry(entry, vaultOf(word)));
      expect(masked).toEqual(entriesWith({ ...words, free: 'a [secret:s0] b' }));
    },
  );

  test('a masked line still fits the model', () => {
    const entries = entriesWith({ id: 'unknown', cause: 'unknown', free: 'unknown' });
    for (const [seq, entry] of entries.entries()) {
      const line = { v: 1, seq, at: '', prev: '', ...maskEntry(entry, vaultOf('unknown')) };
      expect(lineModel.safeParse(line).error).toBeUndefined();
    }
  });

  test('masking keeps the numbers that a replay needs, and masks those in outputs', () => {
    const entry: JournalEntry = { t: 'end', ...at('a'), ms: 123456, ok: true, output: { pin: 123456 } };
    expect(maskEntry(entry, vaultOf('123456'))).toEqual({ ...entry, output: { pin: '[secret:s0]' } });
  });

  test('masking changes fields that are not listed as unmasked', () => {
    const entry = {
      t: 'end',
      ...at('a'),
      ms: 1,
      ok: true,
      news: secret,
      asserts: [{ operator: 'x', path: '$', held: true, why: secret }],
    };
    expect(maskEntry(entry as JournalEntry, vaultOf(secret))).toMatchObject({
      news: '[secret:s0]',
      asserts: [{ why: '[secret:s0]' }],
    });
  });

  test('a masked line fits the model even when every word and number in the model is a secret', () => {
    const { oneOf = [] } = z.toJSONSchema(lineModel) as Schema;
    const secrets = [...new Set(oneOf.flatMap((model) => wordsIn(model)))].filter((word) => word.length > 5);
    expect(secrets).toEqual(expect.arrayContaining(['subject', 'unknown', 'recipe']));
    expect(oneOf).toHaveLength(3);
    const vault = vaultOf(...secrets, '123456');
    for (const model of oneOf) {
      for (let choice = 0; choice < 4; choice++) {
        const line = sampleOf(model, choice);
        expect(lineModel.safeParse(line).error).toBeUndefined();
        expect(lineModel.safeParse(maskEntry(line as JournalEntry, vault)).error).toBeUndefined();
      }
    }
  });

  test('masking returns the same object when it has no secret, or when there are no secrets', () => {
    for (const entry of entriesWith({ id: 'a-node', cause: 'subject', free: 'text' })) {
      expect(maskEntry(entry, vaultOf(secret))).toBe(entry);
      expect(maskEntry(entry, vaultOf())).toBe(entry);
    }
  });
});

type Schema = {
  [key in 'oneOf' | 'anyOf' | 'enum']?: Schema[];
} & {
  const?: unknown;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | false;
};

function wordsIn({ properties = {}, items, additionalProperties, enum: words = [] }: Schema): string[] {
  const inner = [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(additionalProperties ? [additionalProperties] : []),
  ];
  return [...(words as unknown as string[]), ...inner.flatMap(wordsIn)];
}

/** Creates a value with every field of the model. An enum field has the word with the number `choice`. */
function sampleOf(model: Schema, choice: number): unknown {
  if ('const' in model) return model.const;
  if (model.enum) return model.enum[choice % model.enum.length];
  if (model.type === 'array') return [sampleOf(model.items ?? {}, choice)];
  if (model.type === 'object') {
    const fields = Object.entries(model.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner, choice)]);
    const named = model.properties ? [] : [['a', sampleOf(model.additionalProperties || {}, choice)]];
    return Object.fromEntries([...fields, ...named]);
  }
  return model.type === 'integer' || model.type === 'number' ? 123456 : model.type === 'boolean' ? true : 'subject';
}
