import { expect, test } from 'vitest';
import { loadCall, loadCatalog } from '../../../src/check/loadCatalog.js';
import { readDocument } from '../../../src/document/readDocument.js';
import { capabilityNames, createCapabilities } from '../../../src/registry/capabilities.js';

const capabilities = createCapabilities();
const options = { ...capabilityNames(capabilities), registry: capabilities.registry, projectRoot: '/project' };
const done = { action: 'end', status: 'pass' };
const look = { action: 'command', intent: 'Look at what is there', cmd: 'ls', effect: 'reads', next: 'done' };
const flow = (rest: object = {}) => ({ version: 1, description: 'Looks.', entry: 'look', nodes: { look, done }, ...rest });
const read = (flows: object) =>
  readDocument(
    '/project/shop.flows.json',
    Buffer.from(JSON.stringify({ schema_version: 1, kind: 'recipe-flow-catalog', flows }, null, 2)),
  );

test('an example is loaded with the flows it calls, and no others', () => {
  const calling = { ...look, action: 'call', ref: 'shop.look', cmd: undefined, effect: undefined };
  const { flows } = loadCatalog(
    read({
      'shop.look': flow(),
      'shop.other': flow(),
      'shop.all': { ...flow(), nodes: { look: calling, done }, examples: [{}] },
    }),
    options,
  );
  const loaded = flows.find(({ id }) => id === 'shop.all')?.examples[0]?.loaded;
  expect([...(loaded?.compiled.recipe.flows.keys() ?? [])].sort()).toEqual(['shop.all', 'shop.look']);
});

test('an example calls its flow twice only when the flow ensures a state', () => {
  const postcondition = { path: '$.exitCode', operator: 'eq', value: 0 };
  const { flows } = loadCatalog(
    read({ 'shop.ensure_look': flow({ postcondition, examples: [{}] }), 'shop.ensured': flow({ examples: [{}] }) }),
    options,
  );
  const nodes = flows.map(({ examples }) => [...(examples[0]?.loaded?.compiled.recipe.nodes.keys() ?? [])]);
  expect(nodes).toEqual([
    ['call', 'again', 'done'],
    ['call', 'done'],
  ]);
});

test.for([['a text'], [7], [null], [[]], [{ params: 1 }], [{ params: [] }], [{ description: 1 }], [{ parms: {} }]])(
  'the invalid example %j has a finding at its own place',
  ([example]) => {
    const { flows } = loadCatalog(read({ 'shop.look': flow({ examples: [{}, example] }) }), options);
    const [good, bad] = flows[0]?.examples ?? [];
    expect(good?.loaded).toBeDefined();
    expect(bad?.loaded).toBeUndefined();
    expect(bad?.findings).toMatchObject([
      { code: 'flow.invalid_example', path: '/flows/shop.look/examples/1', place: bad?.place },
    ]);
  },
);

test('a finding about the expectation of an example has the place where that is written', () => {
  const expected = { path: '$.outputs', operator: 'equals', value: 1 };
  const { flows } = loadCatalog(read({ 'shop.look': flow({ examples: [{ expect: expected }] }) }), options);
  const [finding] = flows[0]?.examples[0]?.findings.filter(({ severity }) => severity === 'error') ?? [];
  expect(finding?.path).toBe('/flows/shop.look/examples/0/expect/operator');
});

test('a flow with an invalid name does not affect others, and a flow named "constructor" is loaded', () => {
  const { flows, findings } = loadCatalog(
    read({ 'a/b~c.look': flow({ examples: [{}] }), 'x.constructor': flow({ examples: [{}] }) }),
    options,
  );
  expect(findings).toEqual([]);
  expect(flows[0]?.findings.map(({ path }) => path)).toEqual([expect.stringMatching(/^\/flows\/a~1b~0c\.look/)]);
  expect(flows[1]?.examples[0]?.loaded).toBeDefined();
});

test('a call with invalid params is not loaded', () => {
  const { document } = read({ 'shop.look': flow({ paramsSchema: { type: 'object', required: ['item'] } }) });
  if (!document) throw new Error('It is no JSON.');
  expect(loadCall({ document, flow: 'shop.look', params: {} }, options).loaded).toBeUndefined();
  expect(loadCall({ document, flow: 'shop.look', params: { item: 1 } }, options).loaded).toBeDefined();
});
