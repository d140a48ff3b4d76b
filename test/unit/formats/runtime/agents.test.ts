import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, logic, type ManifestRun, manifest, mostInFlight, prepareManifest, runManifest } from './runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);

describe('an agent', () => {
  test('gets its configuration with variables filled in, the prompt, the state, inputs, parameters and former outputs', async () => {
    const seen: unknown[] = [];
    const node = agent('b', 'Second', {
      system_prompt: 'Write about {{ topic }}',
      config: { list: '{{ a.tags }}', text: 'on {{a.tags[0]}}, {{unknown}}' },
      overrides: { model: '{{ parameters.model }}' },
    });
    const rest = {
      parameters: { model: 'm1' },
      interface: { inputs: { properties: { topic: { type: 'string' } } }, outputs: {} },
    };
    const ran = await runManifest(manifest([agent('a', 'First'), node], [edge('a', 'b')], rest), {
      inputs: { topic: 'tea' },
      agents: [
        give('First', { output: { tags: ['x', 'y'] }, state: { n: 1 } }),
        defineAgent('Second', (request) => void seen.push(request)),
      ],
    });
    expect(ran.error).toBe('');
    expect(seen).toEqual([
      {
        ...{ agent: 'Second', node: 'b', system_prompt: 'Write about tea', state: { n: 1 }, inputs: { topic: 'tea' } },
        ...{ config: { list: ['x', 'y'], text: 'on x, {{unknown}}' }, overrides: { model: 'm1' }, parameters: { model: 'm1' } },
        nodes: { a: { tags: ['x', 'y'] } },
      },
    ]);
  });

  test('cannot change the state but by what it gives', async () => {
    const sly = defineAgent('Sly', ({ state }) => {
      (state.list as unknown[]).push('sly');
      return null;
    });
    const nodes = [agent('a', 'A'), agent('b', 'Sly'), logic('c')];
    const ran = await runManifest(manifest(nodes, [edge('a', 'b'), edge('b', 'c')]), {
      agents: [give('A', { list: [] }), sly],
      logic: [defineLogic('c', ({ state }) => ({ output: state.list }))],
    });
    expect(ran.output('topology/c')).toEqual([]);
  });

  test('can be a program that reads and writes JSON', async () => {
    const program = `let text = ''; for await (const chunk of process.stdin) text += chunk; const { state, node } = JSON.parse(text); console.error('thinking'); console.log(JSON.stringify({ output: node, state: { n: state.n + 1 } }));`;
    const ran = await runManifest(manifest([agent('a', 'A'), agent('b', 'Program')], [edge('a', 'b')]), {
      agents: [give('A', { n: 1 }), defineAgent('Program', { argv: ['node', 'agent.mjs'] })],
      files: { 'agent.mjs': program },
    });
    expect(ran.ends.get('topology/b')?.output).toEqual({ output: 'b', update: { n: 2 } });
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
  ] as const)('that is a program without an answer says what came instead: %j', async ([argv, status, error]) => {
    const ran = await runManifest(manifest([agent('a', 'Program')]), {
      agents: [defineAgent('Program', { argv: [...argv] as [string] })],
    });
    expect(ran.status).toBe(status);
    expect(ran.error).toMatch(error);
  });

  test('that nobody registered is told of before anything runs', () => {
    const { findings } = prepareManifest(manifest([agent('a', 'ResarchAgent')]), { agents: [give('ResearchAgent', 1)] });
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused.map(({ message }) => message)).toEqual([
      'the agent "ResarchAgent" is not registered; add defineAgent("ResarchAgent", …) to "agents" of the setup module. Did you mean "ResearchAgent"? Known: ResearchAgent',
    ]);
  });
});

describe('a council', () => {
  const council = (strategy: string, voters: string[]) => agent('c', 'Chair', { council_config: { strategy, voters } });
  const agents = [
    give('Y1', 'yes'),
    give('Y2', 'yes'),
    give('N', 'no'),
    give('Silent', null),
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
  ] as const)('decides by %s among %j: %s', async ([strategy, voters, decision]) => {
    const ran = await ask(strategy, [...voters]);
    expect(ran.output('topology/c')).toBe(decision);
    expect(ran.status).toBe(decision === undefined ? 'fail' : 'pass');
    if (decision === undefined) expect(ran.ends.get('topology/c')?.error?.code).toBe('runtime.no_decision');
  });

  test('asks all voters at once, each in the trace, and keeps their votes', async () => {
    const slow = ['A', 'B', 'C'].map((name) =>
      defineAgent(name, () => new Promise((done) => setTimeout(done, 50, name === 'C' ? 2 : 1))),
    );
    const ran = await runManifest(manifest([council('majority', ['A', 'B', 'C'])]), { agents: slow });
    expect(mostInFlight(ran.lines, /^topology\/c\/voter/)).toBe(3);
    expect(ran.ends.get('topology/c')?.output).toMatchObject({
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
    'whose voters nobody let vote is unknown; one that was forbidden to is a failure: %j',
    async ([answers, status, code]) => {
      const council = agent('a', 'V', { council_config: { strategy: 'unanimous', voters: ['V', 'V'] } });
      const ran = await runManifest(manifest([council], [], { policy: { human_in_the_loop: true, max_retries: 0 } }), {
        agents: [give('V', 'yes')],
        answers: { approval: 'pass', ...answers },
      });
      expect([ran.status, ran.ends.get('topology/a')?.error?.code]).toEqual([status, code]);
    },
  );

  test('stands for logic that only says so', async () => {
    const node = { id: 'c', type: 'logic', code: 'pass  # Council Execution', council_config: { voters: ['Y1', 'Y2'] } };
    const ran = await runManifest(manifest([node]), { agents });
    expect(ran.output('topology/c')).toBe('yes');
  });
});
