// Nodes whose work is complete, but whose router fails.
import { describe, expect, test } from 'vitest';
import {
  defineAgent,
  defineLogic,
  defineRouter,
  type ProjectHandlers,
} from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { type Clock, systemClock } from '../../../../src/system/clock.js';
import { running } from '../../../support/processProbe.js';
import { agent, edge, logic, manifest, runManifest } from './runManifest.js';

const routed = (router_logic: unknown, mapping: object = { x: 'x' }) => ({ source_node_id: 'a', router_logic, mapping });
const x = defineLogic('x', () => 'x');
const policy = { policy: { max_retries: 3 } };

describe('a failed router after an agent', () => {
  test.for([
    ['a value without a mapping', routed('coreason.lib.router.identity'), 'runtime.unmapped_route'],
    ['an expression over a missing value', routed({ operator: 'eq', args: ['$state.z', 1] }), 'runtime.unroutable'],
    ['a router that throws', routed('broken'), 'runtime.handler_failed'],
    ['a Python router that fails', routed('json.loads'), 'runtime.python_failed'],
  ] as const)('the agent is not called again after %s', async ([, edge, code]) => {
    let callCount = 0;
    const result = await runManifest(manifest([agent('a', 'A'), logic('x')], [edge], policy), {
      ...{ python: true, logic: [x], agents: [defineAgent('A', () => `answer ${++callCount}`)] },
      routers: [
        defineRouter('broken', () => {
          throw new Error('no idea');
        }),
      ],
    });
    expect(callCount).toBe(1);
    expect(result).toMatchObject({ status: 'fail', replayed: undefined });
    const end = result.ends.get('topology/a');
    expect(end).toMatchObject({ ok: false, final: true, error: { code, cause_class: 'subject' } });
    // The trace still has the output of the agent.
    expect(end?.output).toMatchObject({ output: 'answer 1' });
    expect(result.executed).not.toContain('topology/a@1');
  });

  test('the agent is not called again when the topology times out in its router', async () => {
    let callCount = 0;
    const result = await runManifest(
      manifest([agent('a', 'A'), logic('x')], [routed('slow')], { policy: { max_retries: 3, timeout: 1 } }),
      {
        agents: [defineAgent('A', () => ++callCount)],
        ...{ logic: [x], routers: [defineRouter('slow', () => new Promise(() => undefined))] },
      },
    );
    expect(callCount).toBe(1);
    expect(result.status).toBe('fail');
    expect(result.reason).toContain('did not finish within 1000 ms');
  });

  test('the agent is called again when its answer does not match the schema of the state', async () => {
    let callCount = 0;
    const rest = { ...policy, state: { schema: { properties: { n: { type: 'number' } } } } };
    const result = await runManifest(manifest([agent('a', 'A')], [], rest), {
      agents: [defineAgent('A', () => (callCount++ === 0 ? { n: 'one' } : { n: 1 }))],
    });
    expect([result.status, callCount]).toEqual(['pass', 2]);
  });
});

describe('a router that never answers', () => {
  // The clock shortens the timeout of a router, which is 30 s.
  const clock: Clock = { ...systemClock, after: (ms, then) => systemClock.after(ms === 30_000 ? 200 : ms, then) };
  const map = { id: 'a', type: 'map', items_path: 'parameters.items', processor_node_id: 'w', concurrency_limit: 1 };
  const council = agent('a', 'W', { council_config: { voters: ['W'] } });
  const recipe = { id: 'a', type: 'recipe', recipe_id: 'child', input_mapping: {}, output_mapping: {} };
  const mark = `recipewright-${process.pid}-router`;
  const hanging = `import subprocess, sys\ndef choose(values):\n    subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', '${mark}'])\n`;

  const run = (node: object, router: string, registered: ProjectHandlers = {}) =>
    runManifest(manifest([node, agent('w', 'W'), logic('x')], [routed(router)], { parameters: { items: [1] } }), {
      ...{
        clock,
        nodeTimeoutMs: 60_000,
        files: { 'hang.py': hanging },
        others: [{ ...manifest([agent('b', 'W')]), id: 'child' }],
      },
      ...{ agents: [defineAgent('W', () => 'x')], logic: [x], ...registered },
    });

  test.for([
    ['a map', map],
    ['a council', council],
    ['a recipe', recipe],
  ] as const)('a Python router that never answers times out after %s, which has no timeout', async ([, node]) => {
    const result = await run(node, 'hang.choose', { python: true });
    expect(result.status).toBe('fail');
    expect(result.error).toBe('runtime.router_timed_out: The router hang.choose did not answer within 30 s.');
    expect(running(mark)).toEqual([]);
  });

  test('a router function that ignores its signal times out', async () => {
    const result = await run(map, 'deaf', { routers: [defineRouter('deaf', () => new Promise(() => undefined))] });
    expect(result.error).toBe('runtime.router_timed_out: The router deaf did not answer within 30 s.');
  });
});

describe('a registered function that throws', () => {
  const thrower = (): never => {
    throw new TypeError('the model is overloaded');
  };

  test.for([
    ['an agent', { agents: [defineAgent('A', thrower)] }, 'The agent "A"'],
    ['an agent that rejects its promise', { agents: [defineAgent('A', async () => thrower())] }, 'The agent "A"'],
    ['logic', { agents: [defineAgent('A', () => 1)], logic: [defineLogic('x', thrower)] }, 'The logic "x"'],
  ] as const)('the error of %s fails its node with the original message', async ([, registered, who]) => {
    const result = await runManifest(manifest([agent('a', 'A'), logic('x')], [edge('a', 'x')]), { logic: [x], ...registered });
    expect(result.status).toBe('fail');
    expect(result.error).toBe(`runtime.handler_failed: ${who} failed: TypeError: the model is overloaded`);
    const failed = [...result.ends.values()].find(({ error }) => error);
    expect(failed?.error?.cause_class).toBe('subject');
  });

  test('an agent function that returns a value that is not JSON fails', async () => {
    const result = await runManifest(manifest([agent('a', 'A')]), { agents: [defineAgent('A', () => 1n)] });
    expect(result).toMatchObject({ status: 'fail', error: expect.stringMatching(/^runtime.bad_answer: The agent "A"/) });
  });

  test('the error of an expect() in an agent is an assertion', async () => {
    const expecting = defineAgent('A', () => {
      throw Object.assign(new Error('expected 1 to be 2'), { matcherResult: {} });
    });
    const result = await runManifest(manifest([agent('a', 'A')]), { agents: [expecting] });
    expect(result).toMatchObject({ status: 'fail', error: 'assertion.failed: The agent "A": Error: expected 1 to be 2' });
  });
});
