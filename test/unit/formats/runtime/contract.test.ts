import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from './runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);
const closed = (ran: Awaited<ReturnType<typeof runManifest>>) =>
  ran.ends.get('close')?.output as { result: unknown; state: unknown };

describe('the state', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' }, m: { type: 'number' } }, required: ['n'] };

  test('is held to its schema at each update', async () => {
    const ran = await runManifest(manifest([agent('a', 'A'), logic('b')], [edge('a', 'b')], { state: { schema } }), {
      agents: [give('A', { n: 'many' })],
      logic: [defineLogic('b', () => 1)],
    });
    expect(ran.status).toBe('fail');
    expect(ran.error).toBe(
      'runtime.state_mismatch: The state after "a" does not match its schema: "n" must be number. Correct the result of the node, or the schema.',
    );
    expect(ran.executed).not.toContain('topology/b');
  });

  test('is held to state_schema of the topology, too', async () => {
    const value = manifest([agent('a', 'A')]);
    value.topology = { ...(value.topology as object), state_schema: { schema } };
    expect((await runManifest(value, { agents: [give('A', { m: 'x' })] })).error).toMatch(
      /^runtime.state_mismatch.*"m" must be number/,
    );
  });

  test('may lack a required key while it runs, but not at the end', async () => {
    const nodes = [agent('a', 'A'), agent('b', 'B')];
    const run = (b: unknown) => {
      return runManifest(manifest(nodes, [edge('a', 'b')], { state: { schema } }), {
        agents: [give('A', { m: 1 }), give('B', b)],
      });
    };
    expect((await run({ n: 2 })).status).toBe('pass');
    expect((await run({ m: 2 })).error).toMatch(/^runtime.state_mismatch: The final state .*"n" is required/);
  });

  test('is not changed by two nodes of one layer under one key', async () => {
    const ran = await runManifest(manifest([agent('a', 'A'), agent('b', 'B')]), {
      agents: [give('A', { n: 1 }), give('B', { n: 1 })],
    });
    expect(ran.status).toBe('fail');
    expect(ran.error).toMatch(/^runtime.state_conflict: "[ab]" and "[ab]" both change "n" of the state in the same layer/);
  });

  test('is seen as the layer before left it, by a node that nothing of that layer leads to', async () => {
    const slow = defineAgent('Slow', () => new Promise((done) => setTimeout(done, 80, { late: 1 })));
    const see = (name: string) => defineLogic(name, ({ state }) => ({ output: Object.keys(state) }));
    const nodes = [agent('fast', 'Fast'), agent('slow', 'Slow'), logic('next'), logic('beside')];
    const ran = await runManifest(manifest(nodes, [edge('fast', 'next')]), {
      agents: [give('Fast', { early: 1 }), slow],
      logic: [see('next'), see('beside')],
    });
    expect(ran.output('topology/next')).toEqual(['early', 'late']);
    expect(ran.output('topology/beside')).toEqual([]);
  });
});

test('what a node decides does not depend on who else of its layer was faster', async () => {
  const slow = defineAgent('Slow', () => new Promise((done) => setTimeout(done, 60, { late: 1 })));
  const nodes = [agent('fast', 'Fast'), agent('slow', 'Slow'), logic('never'), logic('always')];
  const edges = [edge('slow', 'never', 'state.early == 1'), edge('slow', 'always', 'state.late == 1')];
  const ran = await runManifest(manifest(nodes, edges), {
    agents: [give('Fast', { early: 1 }), slow],
    logic: [defineLogic('never', () => 1), defineLogic('always', ({ state }) => ({ output: Object.keys(state).sort() }))],
  });
  expect(ran.skipped).toEqual(['topology/never']);
  expect(ran.output('topology/always')).toEqual(['early', 'late']);
});

describe('the interface', () => {
  const faces = {
    inputs: { type: 'object', properties: { topic: { type: 'string', minLength: 3 } }, required: ['topic'] },
    outputs: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  };
  const run = (topic: string, given: unknown) =>
    runManifest(manifest([agent('a', 'A')], [], { interface: faces }), { inputs: { topic }, agents: [give('A', given)] });

  test('is held to what comes in before any node runs', async () => {
    const ran = await run('t', { summary: 's' });
    expect(ran.error).toMatch(
      /^runtime.invalid_inputs: The inputs of "r" do not match interface.inputs: "topic" must NOT have fewer/,
    );
    expect(ran.executed).toEqual(['open']);
  });

  test('is held to what comes out, as an assertion of the run', async () => {
    const good = await run('tea', { summary: 's', other: 1 });
    expect(good.status).toBe('pass');
    expect(closed(good).result).toEqual({ summary: 's' });
    expect(good.ends.get('close')?.asserts).toMatchObject([{ operator: 'schema', held: true }]);
    const bad = await run('tea', { other: 1 });
    expect(bad.status).toBe('fail');
    expect(bad.ends.get('close')?.asserts).toMatchObject([
      { operator: 'schema', held: false, expected: '"summary" is required' },
    ]);
  });

  test.for([
    ['interface.inputs', { interface: { inputs: { type: 'text' }, outputs: {} } }],
    ['interface.outputs', { interface: { inputs: {}, outputs: { $ref: '#/nowhere' } } }],
    ['The schema of the state', { state: { schema: { properties: 5 } } }],
  ] as const)('%s that is no JSON Schema is told of before anything runs', ([what, rest]) => {
    const { findings } = prepareManifest(manifest([agent('a', 'A')], [], rest), { agents: [give('A', 1)] });
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused).toMatchObject([{ message: expect.stringContaining(`${what} is not a valid JSON Schema`) }]);
  });

  test('is not told what a runner hands to every recipe', async () => {
    const value = manifest([agent('a', 'A')], [], {
      interface: { ...faces, inputs: { ...faces.inputs, additionalProperties: false } },
    });
    const ran = await runManifest(value, { inputs: { topic: 'tea', port: 8080 }, agents: [give('A', { summary: 's' })] });
    expect(ran).toMatchObject({ status: 'pass', error: '' });
  });

  test('asks for its inputs before anything is opened', async () => {
    const value = manifest([agent('a', 'A')], [], { interface: faces });
    await expect(runManifest(value, { agents: [give('A', 1)] })).rejects.toThrow('The input "topic" has no value.');
  });
});

describe('the policy', () => {
  const loop = [edge('a', 'b'), edge('b', 'a', 'state.n < 5')];
  const count = defineAgent('Count', ({ state }) => ({ n: Number(state.n ?? 0) + 1 }));
  const options = { agents: [count], logic: [defineLogic('b', () => null)] };

  test('lets a loop go on until its condition ends it, within its steps', async () => {
    const ran = await runManifest(manifest([agent('a', 'Count'), logic('b')], loop, { policy: { max_steps: 10 } }), options);
    expect(ran).toMatchObject({ status: 'pass', replayed: undefined });
    expect(closed(ran).state).toEqual({ n: 5 });
    expect(ran.executed.filter((path) => path.startsWith('topology/a'))).toHaveLength(5);
  });

  test.for([
    [
      'a voter',
      { id: 'x', type: 'agent', agent_name: 'Late', council_config: { strategy: 'majority', voters: ['Late', 'Late'] } },
    ],
    ['a sub-recipe', { id: 'x', type: 'recipe', recipe_id: 'child', input_mapping: {}, output_mapping: {} }],
    ['an item of a map', { id: 'x', type: 'map', items_path: 'items', processor_node_id: 'each', concurrency_limit: 1 }],
  ] as const)('lets nothing run inside of a node that is one step too many: %s', async ([, node]) => {
    const run = async (most: number) => {
      const late: string[] = [];
      const agents = [give('First', { items: [1] }), defineAgent('Late', ({ node }) => void late.push(node))];
      const nodes = [agent('a', 'First'), node, ...(node.type === 'map' ? [agent('each', 'Late')] : [])];
      const value = manifest(nodes, [edge('a', 'x')], { policy: { max_steps: most, max_retries: 1 } });
      const { error, status } = await runManifest(value, {
        agents,
        others: [manifest([agent('w', 'Late')], [], { id: 'child' })],
      });
      return { late: late.length > 0, error, status };
    };
    expect(await run(1)).toEqual({
      ...{ late: false, status: 'fail' },
      error: expect.stringMatching(/^runtime.max_steps: "r" has used all 1 steps/),
    });
    expect((await run(5)).late).toBe(true);
  });

  test('ends a loop at max_steps', async () => {
    const ran = await runManifest(manifest([agent('a', 'Count'), logic('b')], loop, { policy: { max_steps: 7 } }), options);
    expect(ran.status).toBe('fail');
    expect(ran.error).toMatch(/^runtime.max_steps: "r" has used all 7 steps/);
    expect(ran.executed.filter((path) => /^topology\/[ab][^@]*$/.test(path))).toHaveLength(8);
    expect(closed(ran)).toBeUndefined();
  });

  test('tries again as often as max_retries says, every try on record; without a policy there is one try', async () => {
    const flaky = (failures: number) => {
      let tries = 0;
      return defineAgent('Flaky', () => {
        if (tries++ < failures) throw new Error(`try ${tries}`);
        return tries;
      });
    };
    const run = (failures: number, policy?: object) =>
      runManifest(manifest([agent('a', 'Flaky')], [], policy ? { policy } : {}), { agents: [flaky(failures)] });
    const saved = await run(2, { max_retries: 2 });
    expect(saved.status).toBe('pass');
    expect(saved.executed.filter((path) => path.startsWith('topology/a'))).toEqual([
      'topology/a',
      'topology/a@1',
      'topology/a@2',
    ]);
    expect((await run(3, { max_retries: 2 })).status).not.toBe('pass');
    expect((await run(3, {})).status).toBe('pass');
    expect((await run(1)).executed.filter((path) => path.startsWith('topology/a'))).toEqual(['topology/a']);
  });

  test('ends the topology at its timeout', async () => {
    const hang = defineAgent(
      'Hang',
      (_, { signal }) => new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(new Error('stopped')))),
    );
    const ran = await runManifest(manifest([agent('a', 'Hang')], [], { policy: { timeout: 1, max_retries: 0 } }), {
      agents: [hang],
    });
    expect(ran.status).toBe('fail');
    expect(ran.reason).toContain('did not finish within 1000 ms');
  });

  test('asks about the run by an id that no node of the author has', async () => {
    const value = manifest([{ id: 'approval', type: 'human' }, agent('a', 'A')], [edge('approval', 'a')], {
      policy: { human_in_the_loop: true, max_retries: 0 },
    });
    const run = (answers: Record<string, 'pass' | 'fail'>) => runManifest(value, { answers, agents: [give('A', null)] });
    expect((await run({ approval: 'pass', a: 'pass' })).executed).toEqual(['approval-of-run']);
    expect((await run({ 'approval-of-run': 'pass', approval: 'pass', a: 'pass' })).status).toBe('pass');
    expect((await run({ 'approval-of-run': 'pass', approval: 'fail', a: 'pass' })).status).toBe('fail');
  });

  test('asks by other ids about a sub-recipe and about voters: one answer is for one question', async () => {
    const policy = { human_in_the_loop: true, max_retries: 0 };
    const voter = agent('c', 'A', { council_config: { strategy: 'majority', voters: ['A'] } });
    const call = { id: 's', type: 'recipe', recipe_id: 'child', input_mapping: {}, output_mapping: {} };
    const value = manifest([{ id: 'voter-1', type: 'human' }, voter, call], [edge('voter-1', 'c'), edge('c', 's')], { policy });
    const options = { agents: [give('A', 'yes')], others: [manifest([voter], [], { id: 'child', policy })] };
    const run = (...ids: string[]) =>
      runManifest(value, { ...options, answers: Object.fromEntries(ids.map((id) => [id, 'pass' as const])) });
    const all = ['approval', 'voter-1', 'voter-1.c', 'approval.s', 'voter-1.s.topology.c'];
    expect(await run(...all)).toMatchObject({ status: 'pass', error: '' });
    for (const left of all) expect([left, (await run(...all.filter((id) => id !== left))).status]).toEqual([left, 'unknown']);
    // An author who calls a node so is asked by another id.
    const sly = manifest([{ id: 'voter-1.c', type: 'human' }, voter], [edge('voter-1.c', 'c')], { policy });
    const answers = { approval: 'pass', 'voter-1.c': 'pass' } as const;
    expect((await runManifest(sly, { ...options, answers })).status).toBe('unknown');
    expect((await runManifest(sly, { ...options, answers: { ...answers, 'node-voter-1.c-0': 'pass' } })).status).toBe('pass');
  });

  test('asks a person before the run and before each agent', async () => {
    const value = manifest([agent('a', 'A'), agent('b', 'A')], [edge('a', 'b')], {
      policy: { human_in_the_loop: true },
    });
    const run = (answers: Record<string, 'pass' | 'fail'>) => runManifest(value, { answers, agents: [give('A', null)] });
    expect((await run({ approval: 'pass', a: 'pass', b: 'pass' })).status).toBe('pass');
    const stopped = await run({ approval: 'pass', a: 'pass', b: 'fail' });
    expect(stopped.ends.get('topology/b@3')?.output).toMatchObject({ approval: { by: 'the previous attempt' } });
    expect(stopped).toMatchObject({ status: 'fail', error: 'manual.refused: A person said no: May the agent A work on b?' });
    const never = await run({ approval: 'fail' });
    expect(never).toMatchObject({ status: 'fail', executed: ['approval'] });
    expect((await run({ approval: 'pass' })).status).toBe('unknown');
  });
});
