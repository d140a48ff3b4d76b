import { expect, test } from 'vitest';
import { defineAgent } from '../../../src/actions/runtime/registered.js';
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
  ['as what may not be missing', { properties, not: { properties: { b: false } } }],
] as const)('what the state must have may come one after the other, and is asked for at the end: %s', async ([, schema]) => {
  expect(await run(schema, { a: 1 }, { b: 2 })).toMatchObject({ status: 'pass', error: '' });
  expect(await run(schema, { a: 1 }, {})).toMatchObject({
    status: 'fail',
    error: expect.stringMatching(/^runtime.state_mismatch: The state at the end does not fit/),
  });
  // What is there is held to the schema at once.
  if (JSON.stringify(schema).includes('properties"'))
    expect((await run(schema, { a: 'one' }, { b: 2 })).error).toMatch(/^runtime.state_mismatch: What "n0" made of the state/);
});

test('what a key of the state must have is there when the key is given', async () => {
  const schema = { properties: { plan: { type: 'object', required: ['steps'] } } };
  expect(await run(schema, { other: 1 }, { plan: { steps: [] } })).toMatchObject({ status: 'pass' });
  const ran = await run(schema, { plan: { title: 'x' } }, { plan: { steps: [] } });
  expect(ran.error).toMatch(/^runtime.state_mismatch: What "n0" made of the state does not fit .*"plan" "steps" is required/);
});
