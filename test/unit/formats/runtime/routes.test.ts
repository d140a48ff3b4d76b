// The routes after human nodes and routers.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, type defineRouter } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);

describe('a human node', () => {
  test('a rejection that no edge handles fails the run', async () => {
    const result = await runManifest(manifest([{ id: 'h', type: 'human' }]), { answers: { h: 'fail' } });
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(/^manual.refused/);
  });

  test('the output of a human node is the string "approved" or "rejected"', async () => {
    const nodes = [{ id: 'h', type: 'human' }, logic('yes'), logic('no')];
    const result = await runManifest(manifest(nodes, [edge('h', 'yes', 'approved'), edge('h', 'no', 'rejected')]), {
      answers: { h: 'fail' },
      logic: [defineLogic('no', () => 1), defineLogic('yes', () => 2)],
    });
    expect(result.skipped).toEqual(['topology/yes']);
  });

  test('a human node fails at its timeout when the person has not answered', async () => {
    const result = await runManifest(manifest([{ id: 'h', type: 'human', timeout_seconds: 1 }]), {
      ask: ({ signal }) => new Promise((done) => signal.addEventListener('abort', () => done(undefined))),
    });
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(/^action.timed_out: The node did not finish within 1000 ms/);
  });

  test('a human node has its own timeout or the default one', () => {
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

test('a rejection that leads back asks the person again until the approval', async () => {
  const answers = ['fail', 'fail', 'pass'] as const;
  let questionCount = 0;
  const nodes = [agent('draft', 'Draft'), { id: 'h', type: 'human' }, logic('publish')];
  const router = {
    source_node_id: 'h',
    router_logic: 'coreason.lib.router.identity',
    mapping: { approved: 'publish', rejected: 'draft' },
  };
  const result = await runManifest(manifest(nodes, [edge('draft', 'h'), router], { policy: { max_steps: 10, max_retries: 0 } }), {
    agents: [defineAgent('Draft', ({ state }) => ({ drafts: Number(state.drafts ?? 0) + 1 }))],
    logic: [defineLogic('publish', ({ state }) => ({ output: state.drafts }))],
    ask: async () => ({ answer: answers[questionCount++] ?? 'fail', by: 'person' }),
  });
  expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined });
  expect(result.executed.filter((path) => /draft|h/.test(path) && !/publish/.test(path))).toEqual([
    ...['topology/draft', 'topology/h', 'topology/draft#2', 'topology/h#2', 'topology/draft#3', 'topology/h#3'],
  ]);
  expect(result.output('topology/publish')).toBe(3);
});

describe('a router', () => {
  const routed = (router_logic: unknown, value: unknown, mapping: object, routers: ReturnType<typeof defineRouter>[] = []) =>
    runManifest(manifest([agent('a', 'A'), logic('x'), logic('y')], [{ source_node_id: 'a', router_logic, mapping }]), {
      agents: [agentReturning('A', value)],
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
  ] as const)('the router %j finds its target after the result %j', async ([router, value, mapping, skipped]) => {
    const result = await routed(router, value, mapping);
    expect(result.error).toBe('');
    expect(result.skipped).toEqual([`topology/${skipped}`]);
  });

  test('a value of a router that its mapping does not have is an error', async () => {
    const result = await routed('coreason.lib.router.identity', 'other', { one: 'x' });
    expect(result.status).toBe('fail');
    expect(result.error).toBe(
      'runtime.unmapped_route: The router coreason.lib.router.identity returned "other", which its mapping does not have. Known values: one.',
    );
  });

  test('a router expression over a missing value is an error', async () => {
    const result = await routed({ operator: 'ne', args: ['$state.nothing', 1] }, 1, { true: 'x', false: 'y' });
    expect(result.error).toMatch(/^runtime.unroutable: .*\$state.nothing does not exist/);
  });

  test('a router that is not registered is reported before the run', () => {
    const edges = [{ source_node_id: 'a', router_logic: 'os.getcwd', mapping: { a: 'a' } }];
    const { findings } = prepareManifest(manifest([agent('a', 'A')], edges), { agents: [agentReturning('A', 1)] });
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'the router "os.getcwd" is not registered; add defineRouter("os.getcwd", …) to "routers" of the setup module',
    ]);
  });
});
