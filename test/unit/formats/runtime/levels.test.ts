// The findings of a manifest with the strictness "compat" and "strict".
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFile } from '../../../../src/check/checkFile.js';
import { checkRecipe } from '../../../../src/check/checkRecipe.js';
import { hasErrors } from '../../../../src/document/finding.js';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { createRegistry } from '../../../../src/registry/registry.js';
import { corpusText, hasCorpus } from './corpus.js';
import { agent, compileManifest, edge, logic, manifest, prepareManifest } from './runManifest.js';

const codes = (value: unknown, level: 'compat' | 'strict') =>
  compileManifest(value, { level }).findings.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

const map = (rest: object = {}) => ({
  id: 'm',
  type: 'map',
  items_path: 'x',
  processor_node_id: 'a',
  concurrency_limit: 1,
  ...rest,
});

const manifestWithStateSchema = (schema: object) =>
  manifest([], [], { topology: { nodes: [], edges: [], state_schema: { schema } } });

const nestedMaps = Array.from({ length: 12 }, (_, index) =>
  map({ id: `m${index}`, processor_node_id: index === 11 ? 'a' : `m${index + 1}` }),
);

const unrunnable: [name: string, value: object, code: string, path: string][] = [
  ['two nodes with the same id', manifest([agent('a'), logic('a')]), 'runtime.duplicate_node', '/topology/nodes/1/id'],
  ['a processor that is not a node', manifest([map()]), 'runtime.unknown_processor', '/topology/nodes/0/processor_node_id'],
  [
    'a concurrency limit of zero',
    manifest([map({ concurrency_limit: 0 }), agent('a')]),
    'runtime.invalid_limit',
    '/topology/nodes/0/concurrency_limit',
  ],
  [
    'a map that runs itself',
    manifest([map({ processor_node_id: 'm' })]),
    'runtime.map_cycle',
    '/topology/nodes/0/processor_node_id',
  ],
  ['twelve nested maps', manifest([...nestedMaps, agent('a')]), 'runtime.too_large', '/topology/nodes/8/processor_node_id'],
  [
    'an empty mapping',
    manifest([agent('a')], [{ source_node_id: 'a', router_logic: 'f', mapping: {} }]),
    'runtime.empty_mapping',
    '/topology/edges/0/mapping',
  ],
  [
    'an unknown operator',
    manifest([agent('a')], [{ source_node_id: 'a', router_logic: { operator: 'zz', args: [] }, mapping: { x: 'a' } }]),
    'runtime.invalid_router',
    '/topology/edges/0/router_logic',
  ],
  [
    'a loop without a condition',
    manifest([agent('a'), agent('b')], [edge('a', 'b'), edge('b', 'a')]),
    'runtime.endless_loop',
    '/topology/edges/0',
  ],
  ['a loop of one node', manifest([agent('a')], [edge('a', 'a')]), 'runtime.endless_loop', '/topology/edges/0'],
  [
    'an unknown strategy of a council',
    manifest([agent('a', 'A', { council_config: { strategy: 'constructor', voters: ['x'] } })]),
    'runtime.unknown_strategy',
    '/topology/nodes/0/council_config/strategy',
  ],
  [
    'a council without voters',
    manifest([agent('a', 'A', { council_config: { voters: [] } })]),
    'runtime.no_voters',
    '/topology/nodes/0/council_config/voters',
  ],
  [
    'a negative timeout of a person',
    manifest([{ id: 'h', type: 'human', timeout_seconds: -1 }]),
    'runtime.invalid_limit',
    '/topology/nodes/0/timeout_seconds',
  ],
  ['a limit of zero steps', manifest([], [], { policy: { max_steps: 0 } }), 'runtime.invalid_limit', '/policy/max_steps'],
  [
    'a wrong integrity hash',
    manifest([], [], { integrity_hash: 'a'.repeat(64) }),
    'runtime.integrity_mismatch',
    '/integrity_hash',
  ],
  [
    'an unknown sub-recipe',
    manifest([{ id: 's', type: 'recipe', recipe_id: 'c', input_mapping: {}, output_mapping: {} }]),
    'runtime.unknown_recipe',
    '/topology/nodes/0/recipe_id',
  ],
];

describe('a valid manifest that cannot run', () => {
  test.for(unrunnable)('%s is a warning in compat, an error in strict, and prevents the run', ([, value, code, path]) => {
    expect(codes(value, 'compat')).toEqual([`warning ${code} ${path}`]);
    expect(codes(value, 'strict')).toEqual([`error ${code} ${path}`]);
    const agents = ['a', 'b', 'A', 'x'].map((name) => defineAgent(name, () => 1));
    const { findings } = prepareManifest(value, { agents, logic: [defineLogic('a', () => 1)], python: true });
    expect(hasErrors(findings)).toBe(true);
  });
});

describe('an invalid JSON Schema in a manifest', () => {
  const invalidSchema = { type: 5 };
  const emptyInterface = { inputs: {}, outputs: {} };
  const child = manifest([], [], { id: 'c', interface: { ...emptyInterface, outputs: invalidSchema } });
  const runsChild = { id: 's', type: 'recipe', recipe_id: 'c', input_mapping: {}, output_mapping: {} };
  test.for([
    ['inputs', manifest([], [], { interface: { ...emptyInterface, inputs: invalidSchema } }), '/interface/inputs'],
    ['outputs', manifest([], [], { interface: { ...emptyInterface, outputs: { $ref: '#/nowhere' } } }), '/interface/outputs'],
    ['state', manifest([], [], { state: { schema: { properties: { x: { pattern: '(' } } } } }), '/state/schema'],
    ['state_schema', manifestWithStateSchema(invalidSchema), '/topology/state_schema/schema'],
    ['a sub-recipe', manifest([runsChild]), '/interface/outputs'],
  ] as const)(
    'an invalid JSON Schema in %s is a warning in compat, an error in strict, and prevents the run',
    ([, value, path]) => {
      const schemaFindings = (level: 'compat' | 'strict') => {
        const { compiled } = compileManifest(value, { level, others: [child] });
        if (!compiled) throw new Error('The manifest was not compiled.');
        return checkRecipe(compiled, { vocabulary: createRegistry(), level })
          .filter(({ code }) => code === 'runtime.invalid_schema')
          .map(({ severity, path }) => `${severity} ${path}`);
      };
      expect(schemaFindings('compat')).toEqual([`warning ${path}`]);
      expect(schemaFindings('strict')).toEqual([`error ${path}`]);
      expect(hasErrors(prepareManifest(value, { others: [child] }).findings)).toBe(true);
    },
  );

  test('an invalid JSON Schema is reported at its line when a file is checked', () => {
    const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    const file = join(root, 'a.runtime.json');
    writeFileSync(file, JSON.stringify(manifest([], [], { interface: { ...emptyInterface, inputs: invalidSchema } }), null, 2));
    const check = (level: 'compat' | 'strict') => checkFile(file, { vocabulary: createRegistry(), projectRoot: root, level });
    expect(hasErrors(check('compat').findings)).toBe(false);
    const [error] = check('strict').findings.filter(({ severity }) => severity === 'error');
    rmSync(root, { recursive: true });
    expect(error).toMatchObject({ code: 'runtime.invalid_schema', place: { file, line: 6 } });
  });
});

describe('a value that the models accept and the specification does not', () => {
  test.for([
    ['a number as a string', { policy: { max_steps: '5' } }, '/policy/max_steps'],
    ['the string "yes" for true', { policy: { human_in_the_loop: 'yes' } }, '/policy/human_in_the_loop'],
    ['a version with the prefix "v"', { version: 'v1.0.0' }, '/version'],
    ['the alias of a field', { state: { schema_: {} } }, '/state/schema_'],
  ] as const)('%s is a warning in compat and an error in strict', ([, rest, path]) => {
    const value = manifest([], [], rest);
    expect(codes(value, 'compat')).toEqual([`warning runtime.lax_value ${path}`]);
    expect(codes(value, 'strict')).toEqual([`error runtime.lax_value ${path}`]);
  });

  test('a hash that is not a digest or has another variant is reported', () => {
    expect(codes(manifest([], [], { integrity_hash: 'hash_123' }), 'compat')).toEqual([
      'warning runtime.unverifiable_hash /integrity_hash',
    ]);
    const compact = '57501e5c6808b3e14852a4ea21dc7873abf9409032a06f9b740c973e83f62cf7';
    expect(codes(manifest([], [], { integrity_hash: compact }), 'strict')).toEqual(['error runtime.other_hash /integrity_hash']);
  });

  test('a condition whose template is not an expression is reported, because it never fires', () => {
    const value = manifest([agent('a'), agent('b')], [edge('a', 'b', '{{ needs more }}')]);
    expect(codes(value, 'compat')).toEqual(['warning runtime.unreadable_condition /topology/edges/0/condition']);
  });

  test.for([
    [{ policy: { max_retries: 100 } }, '/policy/max_retries'],
    [{ policy: { timeout: 86_401 } }, '/policy/timeout'],
  ] as const)('a limit above the maximum is reported: %j', ([rest, path]) => {
    expect(codes(manifest([], [], rest), 'compat')).toEqual([`warning runtime.cut_limit ${path}`]);
    expect(codes(manifest([], [], { policy: { max_retries: 99, timeout: 86_400 } }), 'strict')).toEqual([]);
  });

  test('a hash that is not a digest is an error in strict', () => {
    for (const integrity_hash of ['hash_123', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `md5:${'a'.repeat(64)}`])
      expect(codes(manifest([], [], { integrity_hash }), 'strict')).toEqual(['error runtime.unverifiable_hash /integrity_hash']);
  });

  test('a council of a human node is reported, because it is not used', () => {
    const value = manifest([{ id: 'h', type: 'human', council_config: { voters: ['x'] } }]);
    expect(codes(value, 'compat')).toEqual(['warning runtime.unused_council /topology/nodes/0/council_config']);
  });

  test('a voter that is listed twice gets a warning at every strictness', () => {
    const value = manifest([{ id: 'a', type: 'agent', agent_name: 'x', council_config: { voters: ['x', 'y', 'x'] } }]);
    const at = '/topology/nodes/0/council_config/voters/2';
    for (const level of ['compat', 'strict'] as const)
      expect(codes(value, level)).toEqual([`warning runtime.repeated_voter ${at}`]);
  });
});

describe('an invalid manifest', () => {
  test.for([
    ['an unknown field', { ...manifest([]), topologi: 1 }, ['error runtime.unknown_field /topologi']],
    ['a missing field', manifest([{ id: 'a', type: 'agent' }]), ['error runtime.missing_field /topology/nodes/0/agent_name']],
    ['an unknown type', manifest([{ id: 'a', type: 'alien' }]), ['error runtime.unknown_node_type /topology/nodes/0']],
    [
      'an edge to an unknown node',
      manifest([agent('a')], [edge('a', 'zz')]),
      ['error runtime.dangling_edge /topology/edges/0/target_node_id'],
    ],
    [
      'a plain edge with an unknown field',
      manifest([agent('a')], [{ ...edge('a', 'a'), label: 1 }]),
      ['error runtime.unknown_field /topology/edges/0/label'],
    ],
    [
      'a conditional edge with a wrong router',
      manifest([agent('a')], [{ source_node_id: 'a', router_logic: 'foo()', mapping: {} }]),
      ['error runtime.invalid_value /topology/edges/0/router_logic'],
    ],
    [
      'a conditional edge with a wrong expression',
      manifest([agent('a')], [{ source_node_id: 'a', router_logic: { operator: 'eq', args: {} }, mapping: {} }]),
      ['error runtime.invalid_value /topology/edges/0/router_logic/args'],
    ],
    [
      'a mapping with an unknown strategy',
      manifest([
        { id: 'r', type: 'recipe', recipe_id: 'c', input_mapping: { k: { source: 'x', strategy: 'y' } }, output_mapping: {} },
      ]),
      ['error runtime.invalid_value /topology/nodes/0/input_mapping/k/strategy'],
    ],
    ['a list', [{ topology: 1 }], ['error runtime.invalid_value ']],
  ] as const)('%s is reported once, at its position and for the intended shape', ([, value, expected]) => {
    expect(codes(value, 'compat')).toEqual(expected);
  });

  test('an unknown field has the message of the reference implementation, with a hint and a position', () => {
    const [finding] = compileManifest({ ...manifest([]), metadta: {} }).findings;
    expect(finding).toMatchObject({
      message: 'metadta: Extra inputs are not permitted',
      hint: expect.stringContaining('Did you mean "metadata"?'),
    });
    expect(finding?.place.line).toBeGreaterThan(1);
  });
});

test.runIf(hasCorpus)(
  'the corrected example of the document has no findings in strict (skipped without ../shared/corpus)',
  () => {
    expect(codes(corpusText('doc-example-fixed.json'), 'strict')).toEqual([]);
  },
);
