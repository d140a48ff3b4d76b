// Checks of the state during the run, when required keys may still be missing.
import { expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, manifest, runManifest } from './runManifest.js';

const requiresBoth = { required: ['a', 'b'] };
const properties = { a: { type: 'number' }, b: { type: 'number' } };
const completeSchema = { properties, ...requiresBoth };

/** Runs one node for each update of the state. */
const run = (schema: object, ...updates: object[]) =>
  runManifest(
    manifest(
      updates.map((_, index) => agent(`n${index}`, `A${index}`)),
      updates.slice(1).map((_, index) => edge(`n${index}`, `n${index + 1}`)),
      { state: { schema } },
    ),
    { agents: updates.map((update, index) => defineAgent(`A${index}`, () => update)) },
  );

test.for([
  ['required', completeSchema],
  ['allOf', { properties, allOf: [requiresBoth] }],
  ['anyOf', { properties, anyOf: [requiresBoth, { required: ['c'] }] }],
  ['oneOf', { properties, oneOf: [requiresBoth, { required: ['c'] }] }],
  ['a $ref', { $ref: '#/definitions/s', definitions: { s: completeSchema } }],
  ['a $ref in allOf', { allOf: [{ $ref: '#/$defs/a~1b' }], $defs: { 'a/b': completeSchema } }],
  ['minProperties', { properties, minProperties: 2 }],
  ['if and else', { properties, if: false, else: requiresBoth }],
  ['dependencies', { properties, dependencies: { a: ['b'] } }],
  ['dependentRequired', { properties, dependentRequired: { a: ['b'] } }],
  ['dependentSchemas', { properties, dependentSchemas: { a: requiresBoth } }],
  ['not', { properties, not: { properties: { b: false } } }],
] as const)('keys of the state that %s requires may be set one after the other and must exist at the end', async ([, schema]) => {
  expect(await run(schema, { a: 1 }, { b: 2 })).toMatchObject({ status: 'pass', error: '' });
  expect(await run(schema, { a: 1 }, {})).toMatchObject({
    status: 'fail',
    error: expect.stringMatching(/^runtime.state_mismatch: The final state does not match/),
  });
  // A key that exists is checked at once.
  if (JSON.stringify(schema).includes('properties"'))
    expect((await run(schema, { a: 'one' }, { b: 2 })).error).toMatch(/^runtime.state_mismatch: The state after "n0"/);
});

test('the value of a key of the state must be complete when the key is set', async () => {
  const schema = { properties: { plan: { type: 'object', required: ['steps'] } } };
  expect(await run(schema, { other: 1 }, { plan: { steps: [] } })).toMatchObject({ status: 'pass' });
  const result = await run(schema, { plan: { title: 'x' } }, { plan: { steps: [] } });
  expect(result.error).toMatch(/^runtime.state_mismatch: The state after "n0" does not match .*"plan" "steps" is required/);
});

const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
const draft2019 = 'https://json-schema.org/draft/2019-09/schema';

test.for([
  ['prefixItems', { properties: { t: { prefixItems: [{ type: 'number' }] } } }, { t: ['no number'] }],
  ['prefixItems with items', { properties: { t: { prefixItems: [{}], items: false } } }, { t: [1, 2] }],
  ['unevaluatedItems', { properties: { t: { items: [{}], unevaluatedItems: false } } }, { t: [1, 2] }],
  ['minContains', { properties: { t: { contains: { const: 1 }, minContains: 2 } } }, { t: [1, 2] }],
  [
    'a schema of draft 2020-12',
    { $schema: draft2020, properties: { t: { $ref: '#x' } }, $defs: { x: { $anchor: 'x', type: 'null' } } },
    { t: 1 },
  ],
  ['a schema of draft 2019-09', { $schema: draft2019, properties: { t: { unevaluatedItems: false } } }, { t: [1] }],
  ['unevaluatedProperties in a definition', { $ref: '#/$defs/s', $defs: { s: { unevaluatedProperties: false } } }, { t: 1 }],
  ['unevaluatedProperties', { allOf: [{ properties }], unevaluatedProperties: false }, { t: 1 }],
] as const)('a keyword newer than draft-07 is checked: %s', async ([, schema, update]) => {
  expect(await run(schema, update)).toMatchObject({ status: 'fail', error: expect.stringMatching(/^runtime.state_mismatch/) });
});

test('a key that only another key makes valid may be set before that key', async () => {
  const schema = { properties, if: { not: { required: ['b'] } }, else: { properties: { c: {} } }, unevaluatedProperties: false };
  expect(await run(schema, { a: 1, c: 1 }, { b: 2 })).toMatchObject({ status: 'pass', error: '' });
  expect((await run(schema, { a: 1, c: 1 }, {})).error).toMatch(/The final state does not match .*"c" is not allowed/);
});

test('property names and data that look like newer keywords do not change the meaning of older keywords', async () => {
  const items = { items: [{ type: 'number' }], additionalItems: false };
  const schema = { properties: { prefixItems: items, t: { default: { prefixItems: [] } } }, required: ['prefixItems'] };
  expect(await run(schema, { prefixItems: [1] })).toMatchObject({ status: 'pass', error: '' });
  expect(await run(schema, { prefixItems: [1, 2] })).toMatchObject({ status: 'fail' });
});
