import { expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, manifest, runManifest } from './runManifest.js';

const both = { required: ['a', 'b'] };
const properties = { a: { type: 'number' }, b: { type: 'number' } };
const named = { properties, ...both };

const run = (schema: object, ...given: object[]) =>
  runManifest(
    manifest(
      given.map((_, index) => agent(`n${index}`, `A${index}`)),
      given.slice(1).map((_, index) => edge(`n${index}`, `n${index + 1}`)),
      { state: { schema } },
    ),
    { agents: given.map((update, index) => defineAgent(`A${index}`, () => update)) },
  );

test.for([
  ['by itself', named],
  ['in allOf', { properties, allOf: [both] }],
  ['in anyOf', { properties, anyOf: [both, { required: ['c'] }] }],
  ['in oneOf', { properties, oneOf: [both, { required: ['c'] }] }],
  ['behind a reference', { $ref: '#/definitions/s', definitions: { s: named } }],
  ['behind a reference in allOf', { allOf: [{ $ref: '#/$defs/a~1b' }], $defs: { 'a/b': named } }],
  ['as a number of keys', { properties, minProperties: 2 }],
  ['after a condition', { properties, if: false, else: both }],
  ['of a dependency', { properties, dependencies: { a: ['b'] } }],
  ['of a dependency by its newer name', { properties, dependentRequired: { a: ['b'] } }],
  ['of a schema that depends on a key', { properties, dependentSchemas: { a: both } }],
  ['as what may not be missing', { properties, not: { properties: { b: false } } }],
] as const)('what the state must have may come one after the other, and is asked for at the end: %s', async ([, schema]) => {
  expect(await run(schema, { a: 1 }, { b: 2 })).toMatchObject({ status: 'pass', error: '' });
  expect(await run(schema, { a: 1 }, {})).toMatchObject({
    status: 'fail',
    error: expect.stringMatching(/^runtime.state_mismatch: The final state does not match/),
  });
  // What is there is held to the schema at once.
  if (JSON.stringify(schema).includes('properties"'))
    expect((await run(schema, { a: 'one' }, { b: 2 })).error).toMatch(/^runtime.state_mismatch: The state after "n0"/);
});

test('what a key of the state must have is there when the key is given', async () => {
  const schema = { properties: { plan: { type: 'object', required: ['steps'] } } };
  expect(await run(schema, { other: 1 }, { plan: { steps: [] } })).toMatchObject({ status: 'pass' });
  const ran = await run(schema, { plan: { title: 'x' } }, { plan: { steps: [] } });
  expect(ran.error).toMatch(/^runtime.state_mismatch: The state after "n0" does not match .*"plan" "steps" is required/);
});

const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
const draft2019 = 'https://json-schema.org/draft/2019-09/schema';

test.for([
  ['the first items', { properties: { t: { prefixItems: [{ type: 'number' }] } } }, { t: ['no number'] }],
  ['the other items', { properties: { t: { prefixItems: [{}], items: false } } }, { t: [1, 2] }],
  ['the items nothing speaks of', { properties: { t: { items: [{}], unevaluatedItems: false } } }, { t: [1, 2] }],
  ['how many are in it', { properties: { t: { contains: { const: 1 }, minContains: 2 } } }, { t: [1, 2] }],
  [
    'named 2020-12',
    { $schema: draft2020, properties: { t: { $ref: '#x' } }, $defs: { x: { $anchor: 'x', type: 'null' } } },
    { t: 1 },
  ],
  ['named 2019-09', { $schema: draft2019, properties: { t: { unevaluatedItems: false } } }, { t: [1] }],
  ['inside of a definition', { $ref: '#/$defs/s', $defs: { s: { unevaluatedProperties: false } } }, { t: 1 }],
  ['keys nothing speaks of', { allOf: [{ properties }], unevaluatedProperties: false }, { t: 1 }],
] as const)('keywords newer than draft-07 count: %s', async ([, schema, given]) => {
  expect(await run(schema, given)).toMatchObject({ status: 'fail', error: expect.stringMatching(/^runtime.state_mismatch/) });
});

test('keys that only a later part of the schema speaks of may be there before it does', async () => {
  const schema = { properties, if: { not: { required: ['b'] } }, else: { properties: { c: {} } }, unevaluatedProperties: false };
  expect(await run(schema, { a: 1, c: 1 }, { b: 2 })).toMatchObject({ status: 'pass', error: '' });
  expect((await run(schema, { a: 1, c: 1 }, {})).error).toMatch(/The final state does not match .*"c" is not allowed/);
});

test('names and data that look like newer keywords do not change what the older ones mean', async () => {
  const items = { items: [{ type: 'number' }], additionalItems: false };
  const schema = { properties: { prefixItems: items, t: { default: { prefixItems: [] } } }, required: ['prefixItems'] };
  expect(await run(schema, { prefixItems: [1] })).toMatchObject({ status: 'pass', error: '' });
  expect(await run(schema, { prefixItems: [1, 2] })).toMatchObject({ status: 'fail' });
});
