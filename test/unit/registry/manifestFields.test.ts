// The fields of a manifest, and the fields that it adds to official actions.
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

  test.for([classic, modern])('the schema of an official action in a manifest adds fields to the action: %#', (manifest) => {
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

  test('the schema of an official action without further fields leaves the action as it is', () => {
    const same = { ...base, action_metadata: { command: { schema: { properties: { cmd: { type: 'string' } } } } } };
    expect(fromManifest(same).vocabulary.get('command')).toBe(officialVocabulary.get('command'));
  });

  test('an invalid schema of an official action is refused', () => {
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
  ] as const)('a misspelled field %s of a manifest has a finding with the right name', ([name, finding]) => {
    expect(brief({ ...base, [name]: [] })).toEqual([finding]);
  });

  test('a required field in another spelling is not reported as missing too', () => {
    const { supported_official_actions: actions, ...rest } = base;
    expect(brief({ ...rest, supportedOfficialActions: actions })).toEqual([
      'error action_manifest.field_casing /supportedOfficialActions: Did you mean "supported_official_actions"?',
    ]);
  });

  test('a manifest may have fields of the project, even if they resemble a field that it has', () => {
    expect(brief({ ...base, team: 'shop', custom_actions: [], custom_options: {}, x: 1 })).toEqual([]);
    expect(brief({ ...base, custom_actions: [{ name: 'shop.pay', whenToUse: 'Seldom.' }] })).toEqual([]);
  });

  test('a precondition in a manifest needs only its id', () => {
    const { findings, preconditions } = fromManifest({ ...base, pre_conditions: [{ id: 'shop.open' }] });
    expect([findings, [...preconditions]]).toEqual([[], ['shop.open']]);
  });
});
