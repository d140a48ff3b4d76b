// The published JSON Schema of flow-specs has the shape and the limits of the format.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { documentSchema } from '../../../../src/registry/schemas.js';
import { shared } from './corpus.js';
import { spec } from './spec.js';

type Case = { rule: string; name: string; valid: boolean; spec: unknown; caught_by: string | null };

const accepts = new Ajv2020({ allErrors: true, strict: false }).compile(documentSchema('flow_spec') ?? {});
const cases = shared<Case[]>('cases.json');

test('the JSON Schema of flow-specs has the limits of the format', () => {
  expect(accepts(spec([{ type: 'wait', ms: 30_000 }]))).toBe(true);
  expect(accepts(spec([{ type: 'act', action: 'click', target: 'x'.repeat(201) }]))).toBe(false);
  expect(accepts(spec([{ type: 'wait', ms: 1 }], { name: ` ${'n'.repeat(120)} ` }))).toBe(true);
  expect(accepts(spec([{ type: 'wait', ms: 1 }], { name: '  ' }))).toBe(false);
});

describe.skipIf(!cases)('the shared flow-spec cases (skipped without ../shared/corpus)', () => {
  test.for(cases ?? [])(
    'the JSON Schema accepts or refuses the shared case "$rule $name" as recorded',
    ({ valid, spec: value, caught_by }) => {
      expect(accepts(value)).toBe(valid || caught_by === 'cross-field');
    },
  );
});
