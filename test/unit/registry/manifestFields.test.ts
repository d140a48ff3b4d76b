// The fields of a manifest itself, and those it adds to official actions.
import { describe, expect, test } from 'vitest';
import { officialVocabulary } from '../../../src/actions/vocabulary.js';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';

type Json = Record<string, unknown>;

const base = {
  runner_protocol_version: 1,
  action_registry_version: 1,
  supported_official_actions: ['command', 'ui.press', 'end'],
};
const brief = (json: unknown): string[] =>
  fromManifest(json).findings.map(({ severity, code, path, hint }) => `${severity} ${code} ${path}: ${hint}`);

describe('the schema of an official action in a manifest', () => {
  const schema: Json = {
    type: 'object',
    properties: {
      device: { $ref: '#/definitions/device' },
      test_id: { type: 'number' },
      next: { type: 'string' },
      wait_for: { type: 'array', items: { type: 'string' } },
    },
    required: ['test_id', 'device', 'next'],
    anyOf: [{ required: ['test_id'] }, { required: ['selector'] }],
    additionalProperties: false,
    definitions: { device: { type: 'string', enum: ['phone', 'desk'] } },
  };
  const classic = { ...base, action_metadata: { 'ui.press': { schema } } };
  const modern = {
    $schema: 'x',
    actions: { 'ui.press': { description: 'Presses.', schema, examples: [{ action: 'ui.press' }] } },
  };

  test.for([classic, modern])('extends what its nodes may have', (manifest) => {
    const { vocabulary, findings } = fromManifest(manifest);
    expect(findings).toEqual([]);
    const press = vocabulary.get('ui.press');
    const problemsIn = (fields: Json) => press?.schema.safeParse(fields).error?.issues.map(({ path }) => path.join('.')) ?? [];
    expect(problemsIn({ text: 'Buy', device: 'phone', wait_for: ['a'] })).toEqual([]);
    expect(problemsIn({ test_id: 'buy', device: 'phone' })).toEqual([]);
    expect(problemsIn({ text: 'Buy', device: 'watch', wait_for: [1] })).toEqual(['device', 'wait_for.0']);
    expect(problemsIn({ text: 'Buy' })).toEqual(['device']);
    expect(problemsIn({ text: 'Buy', device: 'desk', test_idd: 1 })).toEqual(['']);
    expect(press).toMatchObject({ ...officialVocabulary.get('ui.press'), schema: expect.anything() });
    expect(officialVocabulary.get('ui.press')?.schema.safeParse({ text: 'Buy', device: 'phone' }).success).toBe(false);
  });

  test('that adds nothing leaves the action as it is', () => {
    const same = { ...base, action_metadata: { command: { schema: { properties: { cmd: { type: 'string' } } } } } };
    expect(fromManifest(same).vocabulary.get('command')).toBe(officialVocabulary.get('command'));
  });

  test('is refused when it is wrong, wherever in it', () => {
    const wrong = { ...base, action_metadata: { command: { schema: { properties: { cmd: { type: 'txt' } } } } } };
    expect(brief(wrong)).toEqual([
      expect.stringContaining('error action_manifest.invalid_schema /action_metadata/command/schema: Write a JSON Schema'),
    ]);
  });
});

describe('a field of a manifest', () => {
  test.for([
    ['customActions', 'error action_manifest.field_casing /customActions: Did you mean "custom_actions"?'],
    ['PRE_CONDITIONS', 'error action_manifest.field_casing /PRE_CONDITIONS: Did you mean "pre_conditions"?'],
    ['custom_acions', 'error action_manifest.unknown_field /custom_acions: Did you mean "custom_actions"?'],
    ['custom_acitons', 'error action_manifest.unknown_field /custom_acitons: Did you mean "custom_actions"?'],
    ['state_ref', 'error action_manifest.unknown_field /state_ref: Did you mean "state_refs"?'],
    ['pre_kondishuns', 'warning action_manifest.unknown_field /pre_kondishuns: Did you mean "pre_conditions"?'],
  ] as const)('is not read as %s, and the right name is suggested', ([name, said]) => {
    expect(brief({ ...base, [name]: [] })).toEqual([said]);
  });

  test('that is required and in another spelling is not missing as well', () => {
    const { supported_official_actions: actions, ...rest } = base;
    expect(brief({ ...rest, supportedOfficialActions: actions })).toEqual([
      'error action_manifest.field_casing /supportedOfficialActions: Did you mean "supported_official_actions"?',
    ]);
  });

  test('may be one of the project, and may resemble one that is there', () => {
    expect(brief({ ...base, team: 'shop', custom_actions: [], custom_options: {}, x: 1 })).toEqual([]);
    expect(brief({ ...base, custom_actions: [{ name: 'shop.pay', whenToUse: 'Seldom.' }] })).toEqual([]);
  });

  test('of a precondition may be missing, but for its id', () => {
    const { findings, preconditions } = fromManifest({ ...base, pre_conditions: [{ id: 'shop.open' }] });
    expect([findings, [...preconditions]]).toEqual([[], ['shop.open']]);
  });
});
