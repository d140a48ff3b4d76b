// The contract of a manifest: the schemas of its state and interface, and its policy.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);
const closeOutput = (run: Awaited<ReturnType<typeof runManifest>>) =>
  run.ends.get('close')?.output as { result: unknown; state: unknown };

describe('the state', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' }, m: { type: 'number' } }, required: ['n'] };

  test('the state is checked against its schema at each update', async () => {
    const result = await runManifest(manifest([agent('a', 'A'), logic('b')], [edge('a', 'b')], { state: { schema } }), {
      agents: [agentReturning('A', { n: 'many' })],
      logic: [defineLogic('b', () => 1)],
    });
    expect(result.status).toBe('fail');
    expect(result.error).toBe(
      'runtime.state_mismatch: The state after "a" does not match its schema: "n" must be number. Correct the result of the node, or the schema.',
    );
    expect(result.executed).not.toContain('topology/b');
  });

  test('the state is also checked against the state_schema of the topology', async () => {
    const value = manifest([agent('a', 'A')]);
    value.topology = { ...(value.topology as object), state_schema: { schema } };
    expect((await runManifest(value, { agents: [agentReturning('A', { m: 'x' })] })).error).toMatch(
      /^runtime.state_mismatch.*"m" must be number/,
    );
  });

  test('the state may lack a required key during the run, but not at the end', async () => {
    const nodes = [agent('a', 'A'), agent('b', 'B')];
    const run = (b: unknown) => {
      return runManifest(manifest(nodes, [edge('a', 'b')], { state: { schema } }), {
        agents: [agentReturning('A', { m: 1 }), agentReturning('B', b)],
      });
    };
    expect((await run({ n: 2 })).status).toBe('pass');
    expect((await run({ m: 2 })).error).toMatch(/^runtime.state_mismatch: The final state .*"n" is required/);
  });

  test('two nodes of one layer cannot change the same key of the state', async () => {
    const result = await runManifest(manifest([agent('a', 'A'), agent('b', 'B')]), {
      agents: [agentReturning('A', { n: 1 }), agentReturning('B', { n: 1 })],
    });
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(/^runtime.state_conflict: "[ab]" and "[ab]" both change "n" of the state in the same layer/);
  });

  test('a node sees the state after the previous layer, even without an edge from that layer', async () => {
    const slow = defineAgent('Slow', () => new Promise((done) => setTimeout(done, 80, { late: 1 })));
    const see = (name: string) => defineLogic(name, ({ state }) => ({ output: Object.keys(state) }));
    const nodes = [agent('fast', 'Fast'), agent('slow', 'Slow'), logic('next'), logic('beside')];
    const result = await runManifest(manifest(nodes, [edge('fast', 'next')]), {
      agents: [agentReturning('Fast', { early: 1 }), slow],
      logic: [see('next'), see('beside')],
    });
    expect(result.output('topology/next')).toEqual(['early', 'late']);
    expect(result.output('topology/beside')).toEqual([]);
  });
});

test('the routes of a node do not depend on faster nodes of its layer', async () => {
  const slow = defineAgent('Slow', () => new Promise((done) => setTimeout(done, 60, { late: 1 })));
  const nodes = [agent('fast', 'Fast'), agent('slow', 'Slow'), logic('never'), logic('always')];
  const edges = [edge('slow', 'never', 'state.early == 1'), edge('slow', 'always', 'state.late == 1')];
  const result = await runManifest(manifest(nodes, edges), {
    agents: [agentReturning('Fast', { early: 1 }), slow],
    logic: [defineLogic('never', () => 1), defineLogic('always', ({ state }) => ({ output: Object.keys(state).sort() }))],
  });
  expect(result.skipped).toEqual(['topology/never']);
  expect(result.output('topology/always')).toEqual(['early', 'late']);
});

describe('the interface', () => {
  const interfaces = {
    inputs: { type: 'object', properties: { topic: { type: 'string', minLength: 3 } }, required: ['topic'] },
    outputs: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  };
  const run = (topic: string, result: unknown) =>
    runManifest(manifest([agent('a', 'A')], [], { interface: interfaces }), {
      inputs: { topic },
      agents: [agentReturning('A', result)],
    });

  test('the inputs are checked against interface.inputs before any node runs', async () => {
    const result = await run('t', { summary: 's' });
    expect(result.error).toMatch(
      /^runtime.invalid_inputs: The inputs of "r" do not match interface.inputs: "topic" must NOT have fewer/,
    );
    expect(result.executed).toEqual(['open']);
  });

  test('the outputs are checked against interface.outputs as an assertion of the run', async () => {
    const good = await run('tea', { summary: 's', other: 1 });
    expect(good.status).toBe('pass');
    expect(closeOutput(good).result).toEqual({ summary: 's' });
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
  ] as const)('an invalid JSON Schema is reported before the run: %s', ([what, rest]) => {
    const { findings } = prepareManifest(manifest([agent('a', 'A')], [], rest), { agents: [agentReturning('A', 1)] });
    const refused = findings.filter(({ severity }) => severity === 'error');
    expect(refused).toMatchObject([{ message: expect.stringContaining(`${what} is not a valid JSON Schema`) }]);
  });

  test('a manifest does not get inputs of the runner that it does not declare', async () => {
    const value = manifest([agent('a', 'A')], [], {
      interface: { ...interfaces, inputs: { ...interfaces.inputs, additionalProperties: false } },
    });
    const result = await runManifest(value, {
      inputs: { topic: 'tea', port: 8080 },
      agents: [agentReturning('A', { summary: 's' })],
    });
    expect(result).toMatchObject({ status: 'pass', error: '' });
  });

  test('a missing input of a manifest is reported before its state is opened', async () => {
    const value = manifest([agent('a', 'A')], [], { interface: interfaces });
    await expect(runManifest(value, { agents: [agentReturning('A', 1)] })).rejects.toThrow('The input "topic" has no value.');
  });
});

describe('the policy', () => {
  const loop = [edge('a', 'b'), edge('b', 'a', 'state.n < 5')];
  const count = defineAgent('Count', ({ state }) => ({ n: Number(state.n ?? 0) + 1 }));
  const options = { agents: [count], logic: [defineLogic('b', () => null)] };

  test('a loop within max_steps runs until its condition ends it', async () => {
    const result = await runManifest(manifest([agent('a', 'Count'), logic('b')], loop, { policy: { max_steps: 10 } }), options);
    expect(result).toMatchObject({ status: 'pass', replayed: undefined });
    expect(closeOutput(result).state).toEqual({ n: 5 });
    expect(result.executed.filter((path) => path.startsWith('topology/a'))).toHaveLength(5);
  });

  test.for([
    [
      'a voter',
      { id: 'x', type: 'agent', agent_name: 'Late', council_config: { strategy: 'majority', voters: ['Late', 'Late'] } },
    ],
    ['a sub-recipe', { id: 'x', type: 'recipe', recipe_id: 'child', input_mapping: {}, output_mapping: {} }],
    ['an item of a map', { id: 'x', type: 'map', items_path: 'items', processor_node_id: 'each', concurrency_limit: 1 }],
  ] as const)('a node beyond max_steps does not run its inner nodes: %s', async ([, node]) => {
    const run = async (maxSteps: number) => {
      const late: string[] = [];
      const agents = [agentReturning('First', { items: [1] }), defineAgent('Late', ({ node }) => void late.push(node))];
      const nodes = [agent('a', 'First'), node, ...(node.type === 'map' ? [agent('each', 'Late')] : [])];
      const value = manifest(nodes, [edge('a', 'x')], { policy: { max_steps: maxSteps, max_retries: 1 } });
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

  test('a loop fails at max_steps', async () => {
    const result = await runManifest(manifest([agent('a', 'Count'), logic('b')], loop, { policy: { max_steps: 7 } }), options);
    expect(result.status).toBe('fail');
    expect(result.error).toMatch(/^runtime.max_steps: "r" has used all 7 steps/);
    expect(result.executed.filter((path) => /^topology\/[ab][^@]*$/.test(path))).toHaveLength(8);
    expect(closeOutput(result)).toBeUndefined();
  });

  test('a node is retried max_retries times with a record of each attempt, and runs once without a policy', async () => {
    const flaky = (failures: number) => {
      let attempts = 0;
      return defineAgent('Flaky', () => {
        if (attempts++ < failures) throw new Error(`attempt ${attempts}`);
        return attempts;
      });
    };
    const run = (failures: number, policy?: object) =>
      runManifest(manifest([agent('a', 'Flaky')], [], policy ? { policy } : {}), { agents: [flaky(failures)] });
    const retried = await run(2, { max_retries: 2 });
    expect(retried.status).toBe('pass');
    expect(retried.executed.filter((path) => path.startsWith('topology/a'))).toEqual([
      'topology/a',
      'topology/a@1',
      'topology/a@2',
    ]);
    expect((await run(3, { max_retries: 2 })).status).not.toBe('pass');
    expect((await run(3, {})).status).toBe('pass');
    expect((await run(1)).executed.filter((path) => path.startsWith('topology/a'))).toEqual(['topology/a']);
  });

  test('a topology fails at its timeout', async () => {
    const hang = defineAgent(
      'Hang',
      (_, { signal }) => new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(new Error('stopped')))),
    );
    const result = await runManifest(manifest([agent('a', 'Hang')], [], { policy: { timeout: 1, max_retries: 0 } }), {
      agents: [hang],
    });
    expect(result.status).toBe('fail');
    expect(result.reason).toContain('did not finish within 1000 ms');
  });

  test('the approval of the run has an id that no node of the author has', async () => {
    const value = manifest([{ id: 'approval', type: 'human' }, agent('a', 'A')], [edge('approval', 'a')], {
      policy: { human_in_the_loop: true, max_retries: 0 },
    });
    const run = (answers: Record<string, 'pass' | 'fail'>) =>
      runManifest(value, { answers, agents: [agentReturning('A', null)] });
    expect((await run({ approval: 'pass', a: 'pass' })).executed).toEqual(['approval-of-run']);
    expect((await run({ 'approval-of-run': 'pass', approval: 'pass', a: 'pass' })).status).toBe('pass');
    expect((await run({ 'approval-of-run': 'pass', approval: 'fail', a: 'pass' })).status).toBe('fail');
  });

  test('approvals of a sub-recipe and of voters have separate ids, so one answer belongs to one question', async () => {
    const policy = { human_in_the_loop: true, max_retries: 0 };
    const voter = agent('c', 'A', { council_config: { strategy: 'majority', voters: ['A'] } });
    const call = { id: 's', type: 'recipe', recipe_id: 'child', input_mapping: {}, output_mapping: {} };
    const value = manifest([{ id: 'voter-1', type: 'human' }, voter, call], [edge('voter-1', 'c'), edge('c', 's')], { policy });
    const options = { agents: [agentReturning('A', 'yes')], others: [manifest([voter], [], { id: 'child', policy })] };
    const run = (...ids: string[]) =>
      runManifest(value, { ...options, answers: Object.fromEntries(ids.map((id) => [id, 'pass' as const])) });
    const all = ['approval', 'voter-1', 'voter-1.c', 'approval.s', 'voter-1.s.topology.c'];
    expect(await run(...all)).toMatchObject({ status: 'pass', error: '' });
    for (const left of all) expect([left, (await run(...all.filter((id) => id !== left))).status]).toEqual([left, 'unknown']);
    // A node of the author with the id of such a question gets another id.
    const colliding = manifest([{ id: 'voter-1.c', type: 'human' }, voter], [edge('voter-1.c', 'c')], { policy });
    const answers = { approval: 'pass', 'voter-1.c': 'pass' } as const;
    expect((await runManifest(colliding, { ...options, answers })).status).toBe('unknown');
    expect((await runManifest(colliding, { ...options, answers: { ...answers, 'node-voter-1.c-0': 'pass' } })).status).toBe(
      'pass',
    );
  });

  test('with human_in_the_loop, a person must approve the run and each agent', async () => {
    const value = manifest([agent('a', 'A'), agent('b', 'A')], [edge('a', 'b')], {
      policy: { human_in_the_loop: true },
    });
    const run = (answers: Record<string, 'pass' | 'fail'>) =>
      runManifest(value, { answers, agents: [agentReturning('A', null)] });
    expect((await run({ approval: 'pass', a: 'pass', b: 'pass' })).status).toBe('pass');
    const stopped = await run({ approval: 'pass', a: 'pass', b: 'fail' });
    expect(stopped.ends.get('topology/b@3')?.output).toMatchObject({ approval: { by: 'the previous attempt' } });
    expect(stopped).toMatchObject({ status: 'fail', error: 'manual.refused: A person said no: May the agent A work on b?' });
    const refused = await run({ approval: 'fail' });
    expect(refused).toMatchObject({ status: 'fail', executed: ['approval'] });
    expect((await run({ approval: 'pass' })).status).toBe('unknown');
  });
});
