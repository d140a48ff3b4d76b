// Recipe nodes, which run another manifest.
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, compileManifest, edge, manifest, prepareManifest, runManifest } from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);

describe('a sub-recipe', () => {
  const child = manifest([agent('work', 'Work')], [], {
    id: 'child',
    interface: {
      inputs: { properties: { n: { type: 'number' } }, required: ['n'] },
      outputs: { required: ['m'], properties: { m: { type: 'number' } } },
    },
  });
  const node = (rest: object = {}) => ({
    id: 's',
    type: 'recipe',
    recipe_id: 'child',
    input_mapping: { start: 'n' },
    output_mapping: { m: 'result' },
    ...rest,
  });
  const agents = [
    agentReturning('Begin', { start: 20 }),
    defineAgent('Work', ({ inputs, state }) => ({ m: Number(inputs.n) + 1, seen: Object.keys(state) })),
  ];
  const run = (rest: object = {}) =>
    runManifest(manifest([agent('a', 'Begin'), node(rest)], [edge('a', 's')]), { agents, others: [child] });

  test('a sub-recipe gets its mapped inputs, has a separate state, and returns its mapped outputs', async () => {
    const result = await run();
    expect(result.error).toBe('');
    expect(result.ends.get('topology/s/topology/work')?.output).toMatchObject({ update: { seen: [] } });
    expect(result.ends.get('close')?.output).toMatchObject({ state: { start: 20, result: 21 } });
  });

  test('an input of a sub-recipe that is not mapped has its default, which is checked against the schema', async () => {
    const runWith = (n: object, input_mapping: object = {}) =>
      runManifest(manifest([agent('a', 'Begin'), node({ input_mapping })], [edge('a', 's')]), {
        agents,
        others: [{ ...child, interface: { inputs: { properties: { n }, required: ['n'] }, outputs: {} } }],
      });
    const byDefault = await runWith({ type: 'number', default: 5 });
    expect(byDefault).toMatchObject({ status: 'pass', error: '' });
    expect(byDefault.ends.get('close')?.output).toMatchObject({ state: { result: 6 } });
    const mapped = await runWith({ type: 'number', default: 5 }, { start: 'n' });
    expect(mapped.ends.get('close')?.output).toMatchObject({ state: { result: 21 } });
    expect((await runWith({ type: 'number', default: 'five' })).error).toMatch(/^runtime.invalid_inputs: .*"n" must be number/);
    expect((await runWith({ type: 'number' })).error).toMatch(/^runtime.invalid_inputs: .*"n" is required/);
  });

  test('a mapping of a sub-recipe supports the strategies jsonpath, direct and literal', async () => {
    const mappings = {
      input_mapping: { n: { source: '$.start', strategy: 'jsonpath' } },
      output_mapping: { here: { source: 'm' }, fixed: { source: 'm', strategy: 'literal' } },
    };
    expect((await run(mappings)).ends.get('close')?.output).toMatchObject({ state: { start: 20, here: 21, fixed: 'm' } });
  });

  test('a map can run a sub-recipe with another map for each item, each with a separate state', async () => {
    const inner = manifest(
      [
        agent('list', 'List'),
        { id: 'each', type: 'map', items_path: 'list', processor_node_id: 'work', concurrency_limit: 2 },
        agent('work', 'Add'),
      ],
      [edge('list', 'each')],
      {
        id: 'child',
        interface: { inputs: { required: ['n'] }, outputs: { properties: { each: {} } } },
        policy: { max_retries: 1 },
      },
    );
    const nodes = [
      agent('a', 'Begin'),
      { id: 'm', type: 'map', items_path: 'all', processor_node_id: 's', concurrency_limit: 3 },
    ];
    const outer = manifest([...nodes, node({ input_mapping: { item: 'n' }, output_mapping: {} })], [edge('a', 'm')]);
    const failed = new Set<unknown>();
    const flaky = defineAgent('List', ({ inputs: { n } }) => {
      if (!failed.has(n)) {
        failed.add(n);
        throw new Error('not yet');
      }
      return { list: [n, 10] };
    });
    const result = await runManifest(outer, {
      agents: [
        agentReturning('Begin', { all: [1, 2, 3] }),
        flaky,
        defineAgent('Add', ({ item, inputs }) => Number(item) + Number(inputs.n)),
      ],
      others: [inner],
    });
    expect(result.status).toBe('pass');
    expect(result.output('topology/m')).toEqual([{ each: [2, 11] }, { each: [4, 12] }, { each: [6, 13] }]);
    expect(result.executed).toContain('topology/m/each/s[2]/topology/list@1');
  });

  test('a sub-recipe without a required input fails before its nodes run', async () => {
    const result = await run({ input_mapping: {} });
    expect(result.error).toMatch(/^runtime.invalid_inputs: The inputs of "child" do not match interface.inputs: "n" is required/);
    expect(result.executed).not.toContain('topology/s/topology/work');
  });

  test('a cycle of sub-recipes is refused with its path', () => {
    const loop = { ...child, topology: { nodes: [node({ recipe_id: 'r' })], edges: [] } };
    const { findings } = prepareManifest(manifest([node()]), { others: [loop] });
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { message: 'In the recipe "child": The recipes run each other in a cycle: r → child → r' },
    ]);
  });

  test('the source files of a compiled manifest include direct and indirect sub-recipes', () => {
    const between = manifest([node()], [], { id: 'between' });
    const { compiled } = compileManifest(manifest([node({ recipe_id: 'between' })]), { others: [child, between] });
    expect(compiled?.sourceFiles).toEqual(['/lab/1.runtime.json', '/lab/0.runtime.json']);
  });

  test('a sub-recipe whose id two manifests have is refused', () => {
    const { findings } = prepareManifest(manifest([node()]), { others: [child, child] });
    expect(findings[0]?.message).toMatch(/\/lab\/0.runtime.json and \/lab\/1.runtime.json both have this id/);
  });

  test('an unknown sub-recipe is reported at its node', () => {
    const { findings } = prepareManifest(manifest([node()]));
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'runtime.unknown_recipe', severity: 'warning', path: '/topology/nodes/0/recipe_id' }),
    );
    expect(findings.some(({ severity }) => severity === 'error')).toBe(true);
  });
});
