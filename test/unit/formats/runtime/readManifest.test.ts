// Reading manifests by their models, like the reference implementation.
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

describe.runIf(hasCorpus)('the recorded cases of the reference implementation (skipped without ../shared/corpus)', () => {
  const cases = hasCorpus ? (parsePythonJson(corpusText('validation-cases.json')) as Case[]) : [];

  test('the corpus has more than 90 recorded cases', () => {
    expect(cases.length).toBeGreaterThan(90);
  });

  test.for(cases)(
    'readManifest returns the recorded errors or manifest of the case "$case"',
    ({ valid, input, dump, errors }) => {
      const { manifest, errors: reported } = readManifestValue(input);
      expect(reported.map(({ loc, type, msg }) => ({ loc, type, msg }))).toEqual(toPlainJson(errors ?? []));
      expect(manifest !== undefined).toBe(valid);
      if (valid) expect(manifest).toEqual(toPlainJson(dump));
    },
  );

  test.for(cases)('the findings in compat have the recorded messages of the case "$case"', ({ valid, input, errors = [] }) => {
    const { document } = readDocument('/lab/a.runtime.json', Buffer.from(JSON.stringify(toPlainJson(input))));
    if (!document) throw new Error('The case is not JSON.');
    expect(runtimeDialect('compat').detect(document)).toBe(true);
    const { findings } = runtimeDialect('compat').compile(document, () => ({ problem: 'There is no other.' }));
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused.length === 0).toBe(valid);
    // For an edge or a mapping of two possible shapes, the reference reports the errors of both, and recipewright those of the
    // likely one.
    const recordedMessages = (toPlainJson(errors) as NonNullable<Case['errors']>).map(
      ({ loc, msg }) => `${loc.join('.')}: ${msg}`,
    );
    expect(recordedMessages).toEqual(expect.arrayContaining(refused.map(({ message }) => message)));
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
  test('an edge of neither shape gets the errors of both shapes', () => {
    const { errors } = read({ topology: { nodes: [agent], edges: [{ source_node_id: 'a' }] } });
    expect(errors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)).toEqual([
      'topology.edges.0.Edge.target_node_id: Field required',
      'topology.edges.0.ConditionalEdge.router_logic: Field required',
      'topology.edges.0.ConditionalEdge.mapping: Field required',
    ]);
  });

  test('an edge to an unknown node is reported at the edge, although the reference reports only "topology"', () => {
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
  ] as const)('the value %s is converted to the integer %i and reported as lenient', ([source, converted]) => {
    const text = JSON.stringify({ ...minimal, policy: { max_steps: 'X' } }).replace('"X"', source);
    const { manifest, lenient } = readManifest(text);
    expect(manifest?.policy?.max_steps).toBe(converted);
    expect(lenient.map(({ keys }) => keys.join('.'))).toEqual(['policy.max_steps']);
  });

  test.for(['"5.5"', '"1e3"', '"0x10"', '""', '5.5', 'null', '[]', '"_1"', '"1__0"'])(
    'the value %s is not an integer for max_retries',
    (source) => {
      const text = JSON.stringify({ ...minimal, policy: { max_retries: 'X' } }).replace('"X"', source);
      const { manifest, errors } = readManifest(text);
      expect(manifest).toBeUndefined();
      expect(errors[0]?.msg).toMatch(/^Input should be a valid integer/);
    },
  );

  test('a manifest may have keys such as __proto__ and constructor', () => {
    const text = JSON.stringify(minimal).replace('"parameters":{}', '"parameters":{"__proto__":{"polluted":1},"constructor":2}');
    const { manifest } = readManifest(text);
    expect(Object.keys(manifest?.parameters ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('an unknown field named __proto__ is refused', () => {
    const { errors } = readManifest(`{"__proto__":{},${JSON.stringify(minimal).slice(1)}`);
    expect(errors).toMatchObject([{ loc: ['__proto__'], msg: 'Extra inputs are not permitted' }]);
  });
});
