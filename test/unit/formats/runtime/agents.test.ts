// Agents and councils of runtime recipes.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import {
  agent,
  countMostParallel,
  edge,
  logic,
  type ManifestRun,
  manifest,
  prepareManifest,
  runManifest,
} from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);

describe('an agent', () => {
  test('an agent gets its filled configuration and prompt, the state, inputs, parameters and earlier outputs', async () => {
    const requests: unknown[] = [];
    const node = agent('b', 'Second', {
      system_prompt: 'Write about {{ topic }}',
      config: { list: '{{ a.tags }}', text: 'on {{a.tags[0]}}, {{unknown}}' },
      overrides: { model: '{{ parameters.model }}' },
    });
    const rest = {
      parameters: { model: 'm1' },
      interface: { inputs: { properties: { topic: { type: 'string' } } }, outputs: {} },
    };
    const run = await runManifest(manifest([agent('a', 'First'), node], [edge('a', 'b')], rest), {
      inputs: { topic: 'tea' },
      agents: [
        agentReturning('First', { output: { tags: ['x', 'y'] }, state: { n: 1 } }),
        defineAgent('Second', (request) => void requests.push(request)),
      ],
    });
    expect(run.error).toBe('');
    expect(requests).toEqual([
      {
        ...{ agent: 'Second', node: 'b', system_prompt: 'Write about tea', state: { n: 1 }, inputs: { topic: 'tea' } },
        ...{ config: { list: ['x', 'y'], text: 'on x, {{unknown}}' }, overrides: { model: 'm1' }, parameters: { model: 'm1' } },
        nodes: { a: { tags: ['x', 'y'] } },
      },
    ]);
  });

  test('an agent cannot change the state by changing its request', async () => {
    const malicious = defineAgent('Malicious', ({ state }) => {
      (state.list as unknown[]).push('x');
      return null;
    });
    const nodes = [agent('a', 'A'), agent('b', 'Malicious'), logic('c')];
    const result = await runManifest(manifest(nodes, [edge('a', 'b'), edge('b', 'c')]), {
      agents: [agentReturning('A', { list: [] }), malicious],
      logic: [defineLogic('c', ({ state }) => ({ output: state.list }))],
    });
    expect(result.output('topology/c')).toEqual([]);
  });

  test('an agent can be a program that reads and writes JSON', async () => {
    const program = `let text = ''; for await (const chunk of process.stdin) text += chunk; const { state, node } = JSON.parse(text); console.error('thinking'); console.log(JSON.stringify({ output: node, state: { n: state.n + 1 } }));`;
    const result = await runManifest(manifest([agent('a', 'A'), agent('b', 'Program')], [edge('a', 'b')]), {
      agents: [agentReturning('A', { n: 1 }), defineAgent('Program', { argv: ['node', 'agent.mjs'] })],
      files: { 'agent.mjs': program },
    });
    expect(result.ends.get('topology/b')?.output).toEqual({ output: 'b', update: { n: 2 } });
  });

  test.for([
    [
      ['node', '-e', 'console.error("no idea"); process.exit(3)'],
      'fail',
      /^runtime.agent_failed: .* exited with code 3\.\s+no idea/,
    ],
    [
      ['node', '-e', 'console.log("hello")'],
      'fail',
      /^runtime.bad_answer: .* wrote "hello\\n" to stdout instead of one JSON value/,
    ],
    [['no-such-program'], 'unknown', /^runtime.agent_not_started: .* there is no program "no-such-program"/],
  ] as const)('the error of an agent program without an answer describes what it did: %j', async ([argv, status, error]) => {
    const result = await runManifest(manifest([agent('a', 'Program')]), {
      agents: [defineAgent('Program', { argv: [...argv] as [string] })],
    });
    expect(result.status).toBe(status);
    expect(result.error).toMatch(error);
  });

  test('an agent that is not registered is reported before the run', () => {
    const { findings } = prepareManifest(manifest([agent('a', 'ResarchAgent')]), {
      agents: [agentReturning('ResearchAgent', 1)],
    });
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused.map(({ message }) => message)).toEqual([
      'the agent "ResarchAgent" is not registered; add defineAgent("ResarchAgent", …) to "agents" of the setup module. Did you mean "ResearchAgent"? Known: ResearchAgent',
    ]);
  });
});

describe('a council', () => {
  const council = (strategy: string, voters: string[]) => agent('c', 'Chair', { council_config: { strategy, voters } });
  const agents = [
    agentReturning('Y1', 'yes'),
    agentReturning('Y2', 'yes'),
    agentReturning('N', 'no'),
    agentReturning('Silent', null),
    defineAgent('Broken', () => Promise.reject(new Error('broken'))),
  ];
  const ask = (strategy: string, voters: string[]): Promise<ManifestRun> =>
    runManifest(manifest([council(strategy, voters)]), { agents });

  test.for([
    ['majority', ['Y1', 'N', 'Y2'], 'yes'],
    ['majority', ['Y1', 'N'], undefined],
    ['majority', ['Y1', 'Broken', 'Silent'], undefined],
    ['consensus', ['Y1', 'Broken', 'Silent', 'Y2'], 'yes'],
    ['consensus', ['Y1', 'N', 'Y2'], undefined],
    ['consensus', ['Silent', 'Broken'], undefined],
    ['unanimous', ['Y1', 'Y2'], 'yes'],
    ['unanimous', ['Y1', 'Y2', 'Silent'], undefined],
  ] as const)('a council decides by %s among the voters %j: %s', async ([strategy, voters, decision]) => {
    const result = await ask(strategy, [...voters]);
    expect(result.output('topology/c')).toBe(decision);
    expect(result.status).toBe(decision === undefined ? 'fail' : 'pass');
    if (decision === undefined) expect(result.ends.get('topology/c')?.error?.code).toBe('runtime.no_decision');
  });

  test('a council asks all voters in parallel, with a trace entry each, and records their votes', async () => {
    const slow = ['A', 'B', 'C'].map((name) =>
      defineAgent(name, () => new Promise((done) => setTimeout(done, 50, name === 'C' ? 2 : 1))),
    );
    const result = await runManifest(manifest([council('majority', ['A', 'B', 'C'])]), { agents: slow });
    expect(countMostParallel(result.lines, /^topology\/c\/voter/)).toBe(3);
    expect(result.ends.get('topology/c')?.output).toMatchObject({
      votes: [
        { voter: 'A', vote: 1 },
        { voter: 'B', vote: 1 },
        { voter: 'C', vote: 2 },
      ],
    });
  });

  test.for([
    [{}, 'unknown', 'manual.unanswered'],
    [{ 'voter-1.a': 'pass', 'voter-2.a': 'pass' }, 'pass', undefined],
    [{ 'voter-1.a': 'pass', 'voter-2.a': 'fail' }, 'fail', 'runtime.no_decision'],
  ] as const)(
    'a council without approvals for its voters is unknown, and fails when an approval is refused: %j',
    async ([answers, status, code]) => {
      const council = agent('a', 'V', { council_config: { strategy: 'unanimous', voters: ['V', 'V'] } });
      const result = await runManifest(manifest([council], [], { policy: { human_in_the_loop: true, max_retries: 0 } }), {
        agents: [agentReturning('V', 'yes')],
        answers: { approval: 'pass', ...answers },
      });
      expect([result.status, result.ends.get('topology/a')?.error?.code]).toEqual([status, code]);
    },
  );

  test('a council replaces the code of a logic node', async () => {
    const node = { id: 'c', type: 'logic', code: 'pass  # Council Execution', council_config: { voters: ['Y1', 'Y2'] } };
    const result = await runManifest(manifest([node]), { agents });
    expect(result.output('topology/c')).toBe('yes');
  });
});
