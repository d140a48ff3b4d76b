import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src/document/readDocument.js';
import { runtimeDialect } from '../../../../src/formats/runtime/compile.js';
import { parsePythonJson, toPlainJson } from '../../../../src/formats/runtime/python/pythonJson.js';
import { readManifest, readManifestValue } from '../../../../src/formats/runtime/readManifest.js';
import { corpusText, hasCorpus } from './corpus.js';

type Case = {
  case: string;
  valid: boolean;
  input: unknown;
  dump?: unknown;
  errors?: { loc: (string | number)[]; type: string; msg: string }[];
};

describe.runIf(hasCorpus)('the recorded outcomes of the reference (skipped where ../shared/corpus is not there)', () => {
  const cases = hasCorpus ? (parsePythonJson(corpusText('validation-cases.json')) as Case[]) : [];

  test('are there', () => {
    expect(cases.length).toBeGreaterThan(90);
  });

  test.for(cases)('$case', ({ valid, input, dump, errors }) => {
    const { manifest, errors: found } = readManifestValue(input);
    expect(found.map(({ loc, type, msg }) => ({ loc, type, msg }))).toEqual(toPlainJson(errors ?? []));
    expect(manifest !== undefined).toBe(valid);
    if (valid) expect(manifest).toEqual(toPlainJson(dump));
  });

  test.for(cases)('are what validate says in compat, in the words of the reference: $case', ({ valid, input, errors = [] }) => {
    const { document } = readDocument('/lab/a.runtime.json', Buffer.from(JSON.stringify(toPlainJson(input))));
    if (!document) throw new Error('It is no JSON.');
    expect(runtimeDialect('compat').detect(document)).toBe(true);
    const { findings } = runtimeDialect('compat').compile(document, () => ({ problem: 'There is no other.' }));
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused.length === 0).toBe(valid);
    // Of an edge or a mapping that could be two things the reference tells both; here it is what it looks like.
    const words = (toPlainJson(errors) as NonNullable<Case['errors']>).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
    expect(words).toEqual(expect.arrayContaining(refused.map(({ message }) => message)));
  });
});

const minimal = {
  ...{ id: 'r', version: '1.0.0', name: 'n', interface: { inputs: {}, outputs: {} }, state: { schema: {} } },
  ...{ parameters: {}, topology: { nodes: [], edges: [] } },
};

function read(changes: object) {
  return readManifest(JSON.stringify({ ...minimal, ...changes }));
}

const agent = { id: 'a', type: 'agent', agent_name: 'A' };

describe('a manifest', () => {
  test('with an edge of neither shape is told what each shape misses', () => {
    const { errors } = read({ topology: { nodes: [agent], edges: [{ source_node_id: 'a' }] } });
    expect(errors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)).toEqual([
      'topology.edges.0.Edge.target_node_id: Field required',
      'topology.edges.0.ConditionalEdge.router_logic: Field required',
      'topology.edges.0.ConditionalEdge.mapping: Field required',
    ]);
  });

  test('with an edge to nowhere is told at the edge, though the reference says only "topology"', () => {
    const { errors } = read({ topology: { nodes: [agent], edges: [{ source_node_id: 'a', target_node_id: 'zz' }] } });
    expect(errors).toEqual([
      {
        loc: ['topology'],
        keys: ['topology', 'edges', '0', 'target_node_id'],
        type: 'value_error',
        msg: "Value error, Edge target node 'zz' not found in nodes.",
      },
    ]);
  });

  test.for([
    ['"+5"', 5],
    ['" 5 "', 5],
    ['"5.0"', 5],
    ['"1_000"', 1000],
    ['5.0', 5],
    ['true', 1],
  ] as const)('takes %s for an integer, and says that it is none', ([written, taken]) => {
    const text = JSON.stringify({ ...minimal, policy: { max_steps: 'X' } }).replace('"X"', written);
    const { manifest, lenient } = readManifest(text);
    expect(manifest?.policy?.max_steps).toBe(taken);
    expect(lenient.map(({ keys }) => keys.join('.'))).toEqual(['policy.max_steps']);
  });

  test.for(['"5.5"', '"1e3"', '"0x10"', '""', '5.5', 'null', '[]', '"_1"', '"1__0"'])(
    'does not take %s for max_retries',
    (written) => {
      const text = JSON.stringify({ ...minimal, policy: { max_retries: 'X' } }).replace('"X"', written);
      const { manifest, errors } = readManifest(text);
      expect(manifest).toBeUndefined();
      expect(errors[0]?.msg).toMatch(/^Input should be a valid integer/);
    },
  );

  test('may have keys that are names of JavaScript itself', () => {
    const text = JSON.stringify(minimal).replace('"parameters":{}', '"parameters":{"__proto__":{"polluted":1},"constructor":2}');
    const { manifest } = readManifest(text);
    expect(Object.keys(manifest?.parameters ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('cannot smuggle in an unknown field named __proto__', () => {
    const { errors } = readManifest(`{"__proto__":{},${JSON.stringify(minimal).slice(1)}`);
    expect(errors).toMatchObject([{ loc: ['__proto__'], msg: 'Extra inputs are not permitted' }]);
  });
});
