// Action manifests in both shapes: their declarations, and the findings about faulty ones.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { officialVocabulary } from '../../../src/actions/vocabulary.js';
import { readDocument } from '../../../src/document/readDocument.js';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';

type Json = Record<string, unknown>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const corpus = join(root, '../shared/corpus/recipe-v1/manifests');
const good = (name: string): Json =>
  JSON.parse(readFileSync(join(root, `test/corpus/good/documents/action-manifest-v1--${name}.json`), 'utf8'));
const codesOf = (json: unknown): string[] => fromManifest(json).findings.map(({ code }) => code);
const fieldsOf = (name: string, fields: Json) => fromManifest(good('classic')).vocabulary.get(name)?.schema.safeParse(fields);

describe('a classic manifest', () => {
  test('a classic manifest declares actions, preconditions, operators and state refs', () => {
    const { vocabulary, preconditions, operators, stateRefs, findings } = fromManifest(good('classic'));
    expect(findings).toEqual([]);
    expect([...vocabulary.keys()].sort()).toEqual(
      ['assert_output', 'call', 'command', 'end', 'shop.ensure_cart', 'shop.seed', 'ui.press'].sort(),
    );
    expect(vocabulary.get('ui.press')).toBe(officialVocabulary.get('ui.press'));
    expect([[...preconditions], [...operators], [...stateRefs]]).toEqual([['shop.open'], ['shop.is_price'], ['shop.cart']]);
  });

  test('a custom action has the facts of its manifest, and without any the facts that its name suggests', () => {
    const { vocabulary } = fromManifest(good('classic'));
    expect(vocabulary.get('shop.ensure_cart')).toMatchObject({ effect: 'user', asserts: true });
    expect(vocabulary.get('shop.seed')).toMatchObject({ effect: 'backdoor', asserts: false, needs: ['database'] });
  });

  test('the fields of a custom action are checked by its schema, except those of the protocol', () => {
    expect(fieldsOf('shop.ensure_cart', { items: 2, currency: 'EUR' })?.success).toBe(true);
    const issues = fieldsOf('shop.ensure_cart', { items: -1, currency: 'GBP', colour: 'red' })?.error?.issues ?? [];
    expect(issues.map(({ code, path, message }) => [code, path.join('.'), message])).toEqual([
      ['unrecognized_keys', '', 'Unrecognized key: "colour"'],
      ['custom', 'items', 'must be >= 0'],
      ['custom', 'currency', 'must be equal to one of the allowed values: "EUR", "USD"'],
    ]);
    expect(fieldsOf('shop.ensure_cart', {})?.error?.issues[0]).toMatchObject({ path: ['items'], message: 'is required' });
    expect(fieldsOf('shop.seed', { anything: true })?.success).toBe(true);
  });

  test('a state ref with "ref" instead of "name" is read, with a warning', () => {
    const { stateRefs, findings } = fromManifest({ ...good('classic'), state_refs: [{ ref: 'shop.route' }] });
    expect([...stateRefs]).toEqual(['shop.route']);
    expect(findings).toMatchObject([
      { code: 'action_manifest.state_ref_without_name', severity: 'warning', path: '/state_refs/0/ref' },
    ]);
  });

  test('a finding about a manifest has its place and a suggestion', () => {
    const text =
      '{\n  "runner_protocol_version": 1,\n  "action_registry_version": 1,\n  "supported_official_actions": [\n    "comand"\n  ]\n}\n';
    const { document } = readDocument('shop.json', Buffer.from(text));
    const { findings } = fromManifest(document?.value, document?.place);
    expect(findings).toEqual([
      {
        code: 'action_manifest.unknown_official_action',
        severity: 'error',
        path: '/supported_official_actions/0',
        place: { file: 'shop.json', line: 5, column: 5 },
        message: '"comand" is not an official action of Recipe v1.',
        hint: expect.stringMatching(/^Did you mean "command"\? Known: /),
      },
    ]);
  });

  const custom = (entry: object): Json => ({
    custom_actions: [{ name: 'shop.pay', ...entry }],
    native_bindings: [],
    observers: [],
  });
  test.for<[code: string, change: Json]>([
    ['invalid_runner_protocol_version', { runner_protocol_version: 2 }],
    ['invalid_action_registry_version', { action_registry_version: '1' }],
    ['invalid_supported_official_actions', { supported_official_actions: [] }],
    ['invalid_supported_action', { supported_official_actions: ['end', ''] }],
    ['duplicate_action', { supported_official_actions: ['command', 'ui.press', 'end', 'end'] }],
    ['invalid_custom_actions', { custom_actions: {} }],
    ['invalid_custom_action', { custom_actions: ['shop.pay'] }],
    ['invalid_custom_action_name', custom({ name: '' })],
    ['custom_action_not_namespaced', custom({ name: 'pay' })],
    ['custom_action_not_namespaced', custom({ name: 'shop.' })],
    ['custom_action_overlaps_official', custom({ name: 'cdp.trace' })],
    ['invalid_schema', custom({ schema: 'object' })],
    ['invalid_schema', custom({ schema: { type: 'objekt' } })],
    ['invalid_schema', custom({ schema: { properties: { a: { $ref: '#/definitions/nowhere' } } } })],
    ['invalid_metadata_field', custom({ description: 7 })],
    ['invalid_metadata_field', custom({ effect: 'magic' })],
    ['invalid_examples', custom({ examples: {} })],
    ['invalid_example', custom({ examples: ['shop.pay'] })],
    ['invalid_example_description', custom({ examples: [{ description: 1, node: { action: 'shop.pay' } }] })],
    ['invalid_example_node', custom({ examples: [{ description: 'x' }] })],
    ['invalid_example_action', custom({ examples: [{ node: { action: '' } }] })],
    ['example_action_mismatch', custom({ examples: [{ node: { action: 'shop.buy' } }] })],
    ['invalid_action_metadata', { action_metadata: { 'ui.press': 'presses' } }],
    ['metadata_for_undeclared_action', { action_metadata: { 'ui.scroll': {} } }],
    ['invalid_declaration_array', { state_refs: {} }],
    ['invalid_declaration', { state_refs: [{ description: 'x' }] }],
    ['invalid_declaration', { custom_assertion_operators: ['shop.is_price'] }],
    ['operator_not_namespaced', { custom_assertion_operators: [{ name: 'is_price' }] }],
    ['operator_not_namespaced', { custom_assertion_operators: [{ name: 'shop.' }] }],
    ['operator_overlaps_official', { custom_assertion_operators: [{ name: 'deep_eq' }] }],
    ['invalid_pre_conditions', { pre_conditions: {} }],
    ['invalid_pre_condition', { pre_conditions: ['shop.open'] }],
    ['invalid_pre_condition_id', { pre_conditions: [{ description: 'x' }] }],
    ['invalid_pre_condition_description', { pre_conditions: [{ id: 'shop.open', description: 7 }] }],
    ['invalid_native_bindings', { native_bindings: {} }],
    ['invalid_native_binding', { native_bindings: [1] }],
    ['invalid_native_binding_action', { native_bindings: [{ implementation: 'x' }] }],
    ['invalid_native_binding_implementation', { native_bindings: [{ action: 'end' }] }],
    ['native_binding_for_undeclared_action', { native_bindings: [{ action: 'ui.scroll', implementation: 'x' }] }],
    ['invalid_capability_name', { capabilities: [{ capability: '', status: 'planned' }] }],
    ['invalid_capability_status', { capabilities: [{ capability: 'video', status: 'maybe' }] }],
    ['invalid_capability_field', { capabilities: [{ capability: 'video', status: 'planned', modes: [42] }] }],
    ['invalid_observer_ref', { observers: [{ ref: 'screen' }] }],
    ['duplicate_observer', { observers: [{ ref: 'ui.screen' }, { ref: 'ui.screen' }] }],
    ['invalid_observer_default_for', { observers: [{ ref: 'ui.screen', default_for: ['ui.scroll'] }] }],
  ])('a faulty classic manifest has the finding action_manifest.%s', ([code, change]) => {
    expect(codesOf({ ...good('classic'), ...change })).toEqual([`action_manifest.${code}`]);
  });

  test.for([[null], ['text'], [[]], [7]])('the value %j is not a manifest', ([json]) => {
    expect(codesOf(json)).toEqual(['action_manifest.invalid_document']);
  });

  test('a manifest that declares __proto__ does not change the prototype', () => {
    const hostile = JSON.parse(
      JSON.stringify(good('classic')).replace('"action_metadata":{', '"action_metadata":{"__proto__":{"polluted":true},'),
    );
    fromManifest(hostile);
    expect('polluted' in {}).toBe(false);
  });
});

describe('a modern manifest', () => {
  const change = (name: string, entry: Json): Json => {
    const { actions, ...rest } = good('modern') as { actions: Record<string, Json> };
    return { ...rest, actions: { ...actions, [name]: { ...actions[name], ...entry } } };
  };

  test('a modern manifest declares official actions as recipewright does, and its custom actions', () => {
    const { vocabulary, findings } = fromManifest(good('modern'));
    expect(findings).toEqual([]);
    expect(vocabulary.get('command')).toBe(officialVocabulary.get('command'));
    const custom = vocabulary.get('shop.assert_total');
    expect(custom).toMatchObject({ asserts: true, effect: 'user' });
    expect([custom?.schema.safeParse({ total: 1 }).success, custom?.schema.safeParse({ total: '1' }).success]).toEqual([
      true,
      false,
    ]);
  });

  test('an action ui.* that Recipe v1 does not have needs a page', () => {
    const swipe = {
      description: 'Swipes.',
      schema: { type: 'object' },
      examples: [{ action: 'ui.swipe' }],
      execution_capabilities: [],
    };
    expect(fromManifest(change('ui.swipe', swipe)).vocabulary.get('ui.swipe')).toMatchObject({ needs: ['page'] });
  });

  const custom = 'shop.assert_total';
  test.for<[code: string, json: unknown]>([
    ['invalid_schema_ref', { ...good('modern'), $schema: 1 }],
    ['unsupported_field', { ...good('modern'), supported_official_actions: [] }],
    ['invalid_actions', { ...good('modern'), actions: {}, observers: [] }],
    ['invalid_action', { ...good('modern'), actions: { end: 'ends' }, observers: [] }],
    ['missing_description', change(custom, { description: '' })],
    ['missing_schema', change(custom, { schema: undefined })],
    ['invalid_schema', change(custom, { schema: [] })],
    ['missing_examples', change(custom, { examples: [] })],
    ['example_action_mismatch', change(custom, { examples: [{ action: 'end' }] })],
    ['invalid_result_cases', change(custom, { result_cases: ['a', 'a'] })],
    ['invalid_adapters', change(custom, { adapters: [] })],
    ['unknown_execution_capability', change(custom, { execution_capabilities: ['root'] })],
    ['missing_execution_capabilities', change(custom, { execution_capabilities: undefined })],
    ['unsupported_action_field', change(custom, { owner: 'shop' })],
    ['unsupported_observer_field', { ...good('modern'), observers: [{ ref: 'ui.screen', default_for: ['command'], x: 1 }] }],
    ['invalid_observer_default_for', { ...good('modern'), observers: [{ ref: 'ui.screen', default_for: ['end'] }] }],
  ])('a faulty modern manifest has the finding action_manifest.%s', ([code, json]) => {
    expect(codesOf(json)).toEqual([`action_manifest.${code}`]);
  });
});

const published = [
  'core-test',
  'example-browser-v1',
  'farmslot-v1',
  'v1-modern/farmslot-v1',
  'v1-modern/shared',
  'v1-modern/web',
];
test.skipIf(!existsSync(corpus)).for(published)(
  'the published manifest %s is read without an error (needs the corpus)',
  (name) => {
    const { vocabulary, findings } = fromManifest(JSON.parse(readFileSync(join(corpus, `${name}.action-manifest.json`), 'utf8')));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(
      name === 'example-browser-v1' ? Array(2).fill('action_manifest.state_ref_without_name') : [],
    );
    expect(vocabulary.size).toBeGreaterThan(1);
  },
);
