import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, compileManifest, edge, logic, manifest, mostInFlight, runManifest } from './runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);

describe('an edge that leaves what a map runs for each item', () => {
  const nodes = [
    { id: 'm', type: 'map', items_path: 'x', processor_node_id: 'work', concurrency_limit: 1 },
    ...['work', 'inside', 'outside', 'other'].map((id) => agent(id)),
  ];
  const told = (...edges: object[]) =>
    compileManifest(manifest(nodes, [edge('m', 'outside'), edge('work', 'inside'), ...edges])).findings.map(
      ({ code, path }) => `${code} ${path}`,
    );
  const router = { source_node_id: 'work', router_logic: 'coreason.lib.router.identity' };

  test('is followed once, after the map, and says so; one that asks about an item does not run', () => {
    expect(told()).toEqual([]);
    expect(told(edge('work', 'outside'))).toEqual(['runtime.edge_after_map /topology/edges/2']);
    expect(told(edge('work', 'outside', 'yes'))).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(told({ ...router, mapping: { a: 'outside' } })).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(told({ ...router, mapping: { a: 'outside', b: 'inside' } })).toEqual(['runtime.item_edge /topology/edges/2']);
    expect(told({ ...router, mapping: { a: 'other', b: 'inside' } })).toEqual([]);
  });
});

describe('a map', () => {
  const items = agent('plan', 'Plan');
  const map = (limit: number, processor = 'work') => {
    return { id: 'm', type: 'map', items_path: 'topics.all', processor_node_id: processor, concurrency_limit: limit };
  };
  const plan = give('Plan', { topics: { all: [5, 1, 4, 2, 3] } });
  const work = defineAgent('Work', async ({ item }) => {
    await new Promise((done) => setTimeout(done, Number(item) * 10));
    return { double: Number(item) * 2 };
  });

  test.for([1, 2, 3])(
    'with a limit of %i has no more than that in flight, and its results are in the order of the items',
    async (limit) => {
      const nodes = [items, map(limit), agent('work', 'Work'), logic('sum')];
      const ran = await runManifest(manifest(nodes, [edge('plan', 'm'), edge('m', 'sum')]), {
        agents: [plan, work],
        logic: [
          defineLogic('sum', ({ nodes: { m } }) => (m as { double: number }[]).reduce((sum, { double }) => sum + double, 0)),
        ],
      });
      expect(ran.error).toBe('');
      expect(mostInFlight(ran.lines, /^topology\/m\/each\/work\[\d\]$/)).toBe(limit);
      expect(ran.output('topology/m')).toEqual([10, 2, 8, 4, 6].map((double) => ({ double })));
      expect(ran.output('topology/sum')).toBe(30);
      expect(ran.executed.filter((path) => path.endsWith('work'))).toEqual([]);
    },
  );

  test('runs a graph for each item, and the items see what the map saw, but not each other', async () => {
    const pause = defineAgent('Pause', ({ item }) => new Promise((done) => setTimeout(done, 90 - Number(item) * 15, null)));
    const check = defineLogic('check', ({ state, item, nodes: { work: own } }) => {
      return { output: [item, state.double, own, (state.topics as { all: unknown[] }).all.length] };
    });
    const nodes = [items, map(5), agent('work', 'Work'), agent('pause', 'Pause'), logic('check')];
    const edges = [edge('plan', 'm'), edge('work', 'pause'), edge('pause', 'check')];
    const ran = await runManifest(manifest(nodes, edges), { agents: [plan, work, pause], logic: [check] });
    const double = (item: number) => ({ double: item * 2 });
    expect(ran.error).toBe('');
    expect(ran.output('topology/m')).toEqual(
      [5, 1, 4, 2, 3].map((item) => ({ work: double(item), pause: null, check: [item, item * 2, double(item), 5] })),
    );
    expect(ran.ends.get('close')?.output).toEqual({ result: expect.anything(), state: { topics: { all: [5, 1, 4, 2, 3] } } });
  });

  test('whose edges to its processor and back are drawn runs it for each item, and goes on once', async () => {
    const edges = [edge('plan', 'm'), edge('m', 'work'), edge('work', 'm'), edge('m', 'end')];
    const ran = await runManifest(manifest([items, map(2), agent('work', 'Work'), logic('end')], edges), {
      agents: [plan, work],
      logic: [defineLogic('end', ({ nodes: { m } }) => (m as unknown[]).length)],
    });
    expect(ran.executed.filter((path) => /^topology\/(m|work|end)(#\d)?$/.test(path))).toEqual(['topology/m', 'topology/end']);
    expect(ran.output('topology/end')).toBe(5);
  });

  test.for([
    ['the map leads there, too', [edge('plan', 'm'), edge('m', 'end'), edge('work', 'end')]],
    ['another node leads there, too', [edge('plan', 'm'), edge('plan', 'end'), edge('work', 'pause'), edge('pause', 'end')]],
  ] as const)('goes on once after all items where its branch meets the rest: %s', async ([, edges]) => {
    const seen: unknown[] = [];
    const nodes = [items, map(2), agent('work', 'Work'), agent('pause', 'Pause'), agent('end', 'End')];
    const ran = await runManifest(manifest(nodes, edges), {
      agents: [
        ...[plan, give('Pause', null), defineAgent('End', ({ nodes: { m } }) => void seen.push((m as unknown[]).length))],
        defineAgent('Work', ({ item }) => {
          if (item === undefined) throw new Error('It runs without an item.');
          return { output: item };
        }),
      ],
    });
    expect(ran).toMatchObject({ status: 'pass', error: '', replayed: undefined });
    expect(seen).toEqual([5]);
    expect(ran.executed.indexOf('topology/end')).toBeGreaterThan(ran.executed.indexOf('topology/m'));
  });

  test('may run a node that the topology runs by itself, too', async () => {
    const edges = [edge('plan', 'work'), edge('plan', 'm')];
    const ran = await runManifest(manifest([items, map(2), agent('work', 'Work', { config: {} })], edges), {
      agents: [plan, defineAgent('Work', ({ item }) => ({ output: item ?? 'by itself' }))],
    });
    expect(ran.output('topology/work')).toBe('by itself');
    expect(ran.output('topology/m')).toEqual([5, 1, 4, 2, 3]);
  });

  test('may run a map', async () => {
    const outer = { ...map(2, 'inner'), id: 'm' };
    const inner = { id: 'inner', type: 'map', items_path: 'item', processor_node_id: 'work', concurrency_limit: 1 };
    const ran = await runManifest(manifest([items, outer, inner, agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [give('Plan', { topics: { all: [[1, 2], [3]] } }), work],
    });
    expect(ran.error).toBe('');
    expect(ran.output('topology/m')).toEqual([[{ double: 2 }, { double: 4 }], [{ double: 6 }]]);
  });

  test.for([
    [{ topics: {} }, /^runtime.no_items: The map "m" needs a list at "topics.all" of the state, which does not exist/],
    [{ topics: { all: 'x' } }, /which is "x", not a list/],
  ] as const)('over %j fails', async ([state, error]) => {
    const ran = await runManifest(manifest([items, map(2), agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [give('Plan', state), work],
    });
    expect(ran.status).toBe('fail');
    expect(ran.error).toMatch(error);
  });

  test('over nothing gives nothing', async () => {
    const ran = await runManifest(manifest([items, map(2), agent('work', 'Work')], [edge('plan', 'm')]), {
      agents: [give('Plan', { topics: { all: [] } }), work],
    });
    expect(ran.output('topology/m')).toEqual([]);
  });
});
