// The action manifest that recipewright generates from its registry.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAction } from '../../../src/actions/action.js';
import { officialVocabulary } from '../../../src/actions/vocabulary.js';
import { classicManifestModel } from '../../../src/registry/manifest/actionManifestModel.js';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';
import { toManifest } from '../../../src/registry/manifest/toManifest.js';
import { createRegistry } from '../../../src/registry/registry.js';

describe('the generated manifest', () => {
  const refund = defineAction({
    name: 'shop.refund',
    description: 'Pays back.',
    schema: z.strictObject({ amount: z.number().min(1), reason: z.enum(['late', 'broken']).optional() }),
    examples: [{ description: 'All of it.', node: { action: 'shop.refund', amount: 12 } }],
    effect: 'backdoor',
    captures: true,
    needs: ['page'],
    secretFields: ['reason'],
    run: () => ({}),
  });
  const printed = (fixtures: string[]) =>
    JSON.parse(
      JSON.stringify(
        toManifest(createRegistry({ fixtures, custom: [refund] }), {
          preconditions: [{ id: 'shop.open', description: 'The shop answers.', failure_kind: 'environment' }],
          operators: [{ name: 'shop.is_price' }],
          stateRefs: [{ name: 'shop.cart' }],
        }),
      ),
    );

  test('the generated manifest fits the model, and is read as the same vocabulary', () => {
    const json = printed(['page']);
    expect(classicManifestModel.safeParse(json).error).toBeUndefined();
    const back = fromManifest(json);
    expect(back.findings).toEqual([]);
    expect([...back.vocabulary.keys()].sort()).toEqual(
      [...createRegistry({ fixtures: ['page'], custom: [refund] }).keys()].sort(),
    );
    expect([[...back.preconditions], [...back.operators], [...back.stateRefs]]).toEqual([
      ['shop.open'],
      ['shop.is_price'],
      ['shop.cart'],
    ]);
    const custom = back.vocabulary.get('shop.refund');
    expect(custom).toMatchObject({
      effect: 'backdoor',
      asserts: false,
      captures: true,
      needs: ['page'],
      secretFields: ['reason'],
    });
    for (const fields of [{ amount: 3 }, { amount: 0 }, { amount: 3, reason: 'bored' }, { amount: 3, colour: 'red' }])
      expect([fields, custom?.schema.safeParse(fields).success]).toEqual([fields, refund.schema.safeParse(fields).success]);
  });

  test('the generated manifest has no action that the host cannot execute', () => {
    const headless = printed([]).supported_official_actions as string[];
    expect(headless).toContain('command');
    expect(headless.filter((name) => officialVocabulary.get(name)?.needs?.length)).toEqual([]);
    expect(printed(['page']).supported_official_actions).toContain('ui.press');
    for (const name of printed(['page']).supported_official_actions) expect(officialVocabulary.get(name)).toHaveProperty('run');
  });

  test('the generated manifest describes every action, its fields and its facts', () => {
    const { action_metadata: metadata } = printed(['page']);
    expect(metadata.command).toMatchObject({
      schema: { type: 'object', properties: { cmd: { type: 'string' } } },
      effect: 'varies',
      asserts: false,
      captures: false,
      needs: [],
      secret_fields: ['env', 'stdin'],
    });
    expect(metadata['ui.press'].needs).toEqual(['page']);
    for (const entry of Object.values<{ description: string; examples: unknown[] }>(metadata))
      expect([entry.description.length > 10, entry.examples.length > 0]).toEqual([true, true]);
  });
});
