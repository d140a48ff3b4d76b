import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, type defineRouter } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from './runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);

describe('a human node', () => {
  test('whose rejection no edge asks about fails the run', async () => {
    const ran = await runManifest(manifest([{ id: 'h', type: 'human' }]), { answers: { h: 'fail' } });
    expect(ran.status).toBe('fail');
    expect(ran.error).toMatch(/^manual.refused/);
  });

  test('gives its answer to edges as a text', async () => {
    const nodes = [{ id: 'h', type: 'human' }, logic('yes'), logic('no')];
    const ran = await runManifest(manifest(nodes, [edge('h', 'yes', 'approved'), edge('h', 'no', 'rejected')]), {
      answers: { h: 'fail' },
      logic: [defineLogic('no', () => 1), defineLogic('yes', () => 2)],
    });
    expect(ran.skipped).toEqual(['topology/yes']);
  });

  test('is given up after its time, though the person is still thinking', async () => {
    const ran = await runManifest(manifest([{ id: 'h', type: 'human', timeout_seconds: 1 }]), {
      ask: ({ signal }) => new Promise((done) => signal.addEventListener('abort', () => done(undefined))),
    });
    expect(ran.status).toBe('fail');
    expect(ran.error).toMatch(/^action.timed_out: The node did not finish within 1000 ms/);
  });

  test('has the time that it says, or the usual one', () => {
    const { compiled } = prepareManifest(
      manifest([
        { id: 'h', type: 'human', timeout_seconds: 7 },
        { id: 'g', type: 'human' },
      ]),
    );
    const nodes = compiled.recipe.nodes.get('topology')?.body?.nodes;
    expect([nodes?.get('h')?.timeoutMs, nodes?.get('g')?.timeoutMs]).toEqual([7_000, undefined]);
  });
});

test('a rejection that leads back is asked about again, until it is approved', async () => {
  const answers = ['fail', 'fail', 'pass'] as const;
  let asked = 0;
  const nodes = [agent('draft', 'Draft'), { id: 'h', type: 'human' }, logic('publish')];
  const router = {
    source_node_id: 'h',
    router_logic: 'coreason.lib.router.identity',
    mapping: { approved: 'publish', rejected: 'draft' },
  };
  const ran = await runManifest(manifest(nodes, [edge('draft', 'h'), router], { policy: { max_steps: 10, max_retries: 0 } }), {
    agents: [defineAgent('Draft', ({ state }) => ({ drafts: Number(state.drafts ?? 0) + 1 }))],
    logic: [defineLogic('publish', ({ state }) => ({ output: state.drafts }))],
    ask: async () => ({ answer: answers[asked++] ?? 'fail', by: 'person' }),
  });
  expect(ran).toMatchObject({ status: 'pass', error: '', replayed: undefined });
  expect(ran.executed.filter((path) => /draft|h/.test(path) && !/publish/.test(path))).toEqual([
    ...['topology/draft', 'topology/h', 'topology/draft#2', 'topology/h#2', 'topology/draft#3', 'topology/h#3'],
  ]);
  expect(ran.output('topology/publish')).toBe(3);
});

describe('a router', () => {
  const routed = (router_logic: unknown, value: unknown, mapping: object, routers: ReturnType<typeof defineRouter>[] = []) =>
    runManifest(manifest([agent('a', 'A'), logic('x'), logic('y')], [{ source_node_id: 'a', router_logic, mapping }]), {
      agents: [give('A', value)],
      logic: [defineLogic('x', () => 'x'), defineLogic('y', () => 'y')],
      routers,
    });

  test.for([
    ['coreason.lib.router.identity', 'case_0', { case_0: 'x', default: 'y' }, 'y'],
    ['coreason.lib.router.identity', true, { True: 'x', False: 'y' }, 'y'],
    [{ operator: 'gt', args: ['$state.score', 0.5] }, { score: 0.7 }, { true: 'x', false: 'y' }, 'y'],
    [
      {
        operator: 'and',
        args: [
          { operator: 'exists', args: ['$state.z'] },
          { operator: 'eq', args: ['$state.z', 1] },
        ],
      },
      {},
      { true: 'x', false: 'y' },
      'x',
    ],
    [{ operator: 'contains', args: ['$node.a.tags', 'hot'] }, { tags: ['hot'] }, { true: 'x', false: 'y' }, 'y'],
  ] as const)('%j leads by %j', async ([router, value, mapping, skipped]) => {
    const ran = await routed(router, value, mapping);
    expect(ran.error).toBe('');
    expect(ran.skipped).toEqual([`topology/${skipped}`]);
  });

  test('that gives what its mapping does not have is an error', async () => {
    const ran = await routed('coreason.lib.router.identity', 'other', { one: 'x' });
    expect(ran.status).toBe('fail');
    expect(ran.error).toBe(
      'runtime.unmapped_route: The router coreason.lib.router.identity returned "other", which its mapping does not have. Known values: one.',
    );
  });

  test('that asks for what is not there is an error, not a way', async () => {
    const ran = await routed({ operator: 'ne', args: ['$state.nothing', 1] }, 1, { true: 'x', false: 'y' });
    expect(ran.error).toMatch(/^runtime.unroutable: .*\$state.nothing does not exist/);
  });

  test('that nobody registered is told of before anything runs', () => {
    const edges = [{ source_node_id: 'a', router_logic: 'os.getcwd', mapping: { a: 'a' } }];
    const { findings } = prepareManifest(manifest([agent('a', 'A')], edges), { agents: [give('A', 1)] });
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'the router "os.getcwd" is not registered; add defineRouter("os.getcwd", …) to "routers" of the setup module',
    ]);
  });
});
