// Maps of runtime recipes, which run a node or a graph for each item of a list.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, compileManifest, countMostParallel, edge, logic, manifest, runManifest } from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);

describe('an edge that leaves the nodes of a map', () => {
  const nodes = [
    { id: 'm', type: 'map', items_path: 'x', processor_node_id: 'work', concurrency_limit: 1 },
    ...['work', 'inside', 'outside', 'other'].map((id) => agent(id)),
  ];
  const findingsWith = (...edges: object[]) =>
    compileManifest(manifest(nodes, [edge('m', 'outside'), edge('work', 'inside'), ...edges])).findings.map(
      ({ code, path }) => `${code} ${path}`,
    );
  const router = { source_node_id: 'work', router_logic: 'coreason.lib.router.identity' };

  test('an edge that leaves the nodes of a map gets a warning, and blocks the run when it depends on an item', () => {
    expect(findingsWith()).toEqual([]);
    expect(findingsWith(edge('work', 'outside'))).toEqual(['runtime.edge_after_map /topology/edges/2']);
    expect(findingsWith(edge('work', 'outside', 'yes'))).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(findingsWith({ ...router, mapping: { a: 'outside' } })).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(findingsWith({ ...router, mapping: { a: 'outside', b: 'inside' } })).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(findingsWith({ ...router, mapping: { a: 'other', b: 'inside' } })).toEqual([]);
  });
});

describe('a map', () => {
  const items = agent('plan', 'Plan');
  const map = (limit: number, processor = 'work') => {
    return { id: 'm', type: 'map', items_path: 'topics.all', processor_node_id: processor, concurrency_limit: limit };
  };
  const plan = agentReturning('Plan', { topics: { all: [5, 1, 4, 2, 3] } });
  const work = defineAgent('Work', async ({ item }) => {
    await new Promise((done) => setTimeout(done, Number(item) * 10));
    return { double: Number(item) * 2 };
  });

  test.for([1, 2, 3])(
    'a map with a limit of %i runs at most that many items in parallel and returns their results in order',
    async (limit) => {
      const nodes = [items, map(limit), agent('work', 'Work'), logic('sum')];
      const result = await runManifest(manifest(nodes, [edge('plan', 'm'), edge('m', 'sum')]), {
        agents: [plan, work],
        logic: [
          defineLogic('sum', ({ nodes: { m } }) => (m as { double: number }[]).reduce((sum, { double }) => sum + double, 0)),
        ],
      });
      expect(result.error).toBe('');
      expect(countMostParallel(result.lines, /^topology\/m\/each\/work\[\d\]$/)).toBe(limit);
      expect(result.output('topology/m')).toEqual([10, 2, 8, 4, 6].map((double) => ({ double })));
      expect(result.output('topology/sum')).toBe(30);
      expect(result.executed.filter((path) => path.endsWith('work'))).toEqual([]);
    },
  );

  test('a map runs a graph for each item, and items see the values of the map but not of each other', async () => {
    const pause = defineAgent('Pause', ({ item }) => new Promise((done) => setTimeout(done, 90 - Number(item) * 15, null)));
    const check = defineLogic('check', ({ state, item, nodes: { work: own } }) => {
      return { output: [item, state.double, own, (state.topics as { all: unknown[] }).all.length] };
    });
    const nodes = [items, map(5), agent('work', 'Work'), agent('pause', 'Pause'), logic('check')];
    const edges = [edge('plan', 'm'), edge('work', 'pause'), edge('pause', 'check')];
    const result = await runManifest(manifest(nodes, edges), { agents: [plan, work, pause], logic: [check] });
    const double = (item: number) => ({ double: item * 2 });
    expect(result.error).toBe('');
    expect(result.output('topology/m')).toEqual(
      [5, 1, 4, 2, 3].map((item) => ({ work: double(item), pause: null, check: [item, item * 2, double(item), 5] })),
    );
    expect(result.ends.get('close')?.output).toEqual({ result: expect.anything(), state: { topics: { all: [5, 1, 4, 2, 3] } } });
  });

  test('a map with edges to its processor and back runs the processor for each item and continues once', async () => {
    const edges = [edge('plan', 'm'), edge('m', 'work'), edge('work', 'm'), edge('m', 'end')];
    const result = await runManifest(manifest([items, map(2), agent('work', 'Work'), logic('end')], edges), {
      agents: [plan, work],
      logic: [defineLogic('end', ({ nodes: { m } }) => (m as unknown[]).length)],
    });
    expect(result.executed.filter((path) => /^topology\/(m|work|end)(#\d)?$/.test(path))).toEqual(['topology/m', 'topology/end']);
    expect(result.output('topology/end')).toBe(5);
  });

  test.for([
    ['an edge of the map leads there', [edge('plan', 'm'), edge('m', 'end'), edge('work', 'end')]],
    [
      'an edge of another node leads there',
      [edge('plan', 'm'), edge('plan', 'end'), edge('work', 'pause'), edge('pause', 'end')],
    ],
  ] as const)('a node after the branch of a map runs once, after all items: %s', async ([, edges]) => {
    const itemCounts: unknown[] = [];
    const nodes = [items, map(2), agent('work', 'Work'), agent('pause', 'Pause'), agent('end', 'End')];
    const result = await runManifest(manifest(nodes, edges), {
      agents: [
        ...[
          plan,
          agentReturning('Pause', null),
          defineAgent('End', ({ nodes: { m } }) => void itemCounts.push((m as unknown[]).length)),
        ],
        defineAgent('Work', ({ item }) => {
          if (item === undefined) throw new Error('The processor runs without an item.');
          return { output: item };
        }),
      ],
    });
    expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined });
    expect(itemCounts).toEqual([5]);
    expect(result.executed.indexOf('topology/end')).toBeGreaterThan(result.executed.indexOf('topology/m'));
  });

  test('a map can run a node that the topology also runs without an item', async () => {
    const edges = [edge('plan', 'work'), edge('plan', 'm')];
    const result = await runManifest(manifest([items, map(2), agent('work', 'Work', { config: {} })], edges), {
      agents: [plan, defineAgent('Work', ({ item }) => ({ output: item ?? 'no item' }))],
    });
    expect(result.output('topology/work')).toBe('no item');
    expect(result.output('topology/m')).toEqual([5, 1, 4, 2, 3]);
  });

  test('a map can run another map', async () => {
    const outer = { ...map(2, 'inner'), id: 'm' };
    const inner = { id: 'inner', type: 'map', items_path: 'item', processor_node_id: 'work', concurrency_limit: 1 };
    const result = await runManifest(manifest([items, outer, inner, agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [agentReturning('Plan', { topics: { all: [[1, 2], [3]] } }), work],
    });
    expect(result.error).toBe('');
    expect(result.output('topology/m')).toEqual([[{ double: 2 }, { double: 4 }], [{ double: 6 }]]);
  });

  test.for([
    [{ topics: {} }, /^runtime.no_items: The map "m" needs a list at "topics.all" of the state, which does not exist/],
    [{ topics: { all: 'x' } }, /which is "x", not a list/],
  ] as const)('a map fails when the state %j has no list for it', async ([state, error]) => {
    const result = await runManifest(manifest([items, map(2), agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [agentReturning('Plan', state), work],
    });
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(error);
  });

  test('a map over an empty list returns an empty list', async () => {
    const result = await runManifest(manifest([items, map(2), agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [agentReturning('Plan', { topics: { all: [] } }), work],
    });
    expect(result.output('topology/m')).toEqual([]);
  });
});
