// What happens when a node has done its work and nobody can say where to go from there.
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

describe('a way that cannot be found after an agent is never a reason to ask the agent again', () => {
  test.for([
    ['a value that the mapping does not have', routed('coreason.lib.router.identity'), 'runtime.unmapped_route'],
    ['an expression over what is not there', routed({ operator: 'eq', args: ['$state.z', 1] }), 'runtime.unroutable'],
    ['a router that throws', routed('broken'), 'runtime.handler_failed'],
    ['a router of Python that fails', routed('json.loads'), 'runtime.python_failed'],
  ] as const)('%s', async ([, edge, code]) => {
    let asked = 0;
    const ran = await runManifest(manifest([agent('a', 'A'), logic('x')], [edge], policy), {
      ...{ python: true, logic: [x], agents: [defineAgent('A', () => `answer ${++asked}`)] },
      routers: [
        defineRouter('broken', () => {
          throw new Error('no idea');
        }),
      ],
    });
    expect(asked).toBe(1);
    expect(ran).toMatchObject({ status: 'fail', replayed: undefined });
    const end = ran.ends.get('topology/a');
    expect(end).toMatchObject({ ok: false, final: true, error: { code, cause_class: 'subject' } });
    // What the agent gave is on record all the same.
    expect(end?.output).toMatchObject({ output: 'answer 1' });
    expect(ran.executed).not.toContain('topology/a@1');
  });

  test('nor is a router whose node runs out of time', async () => {
    let asked = 0;
    const ran = await runManifest(
      manifest([agent('a', 'A'), logic('x')], [routed('slow')], { policy: { max_retries: 3, timeout: 1 } }),
      {
        agents: [defineAgent('A', () => ++asked)],
        ...{ logic: [x], routers: [defineRouter('slow', () => new Promise(() => undefined))] },
      },
    );
    expect(asked).toBe(1);
    expect(ran.status).toBe('fail');
    expect(ran.reason).toContain('did not finish within 1000 ms');
  });

  test('but an answer that does not fit the state is tried again, since another one may', async () => {
    let asked = 0;
    const rest = { ...policy, state: { schema: { properties: { n: { type: 'number' } } } } };
    const ran = await runManifest(manifest([agent('a', 'A')], [], rest), {
      agents: [defineAgent('A', () => (asked++ === 0 ? { n: 'one' } : { n: 1 }))],
    });
    expect([ran.status, asked]).toEqual(['pass', 2]);
  });
});

describe('a router that never answers is given up, though the node before it has no limit of its own', () => {
  // The limit of a router is half a minute, which nobody waits for here.
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
  ] as const)('by Python after %s', async ([, node]) => {
    const ran = await run(node, 'hang.choose', { python: true });
    expect(ran.status).toBe('fail');
    expect(ran.error).toBe('runtime.router_timed_out: The router hang.choose did not answer within 30 s.');
    expect(running(mark)).toEqual([]);
  });

  test('by a function that does not listen', async () => {
    const ran = await run(map, 'deaf', { routers: [defineRouter('deaf', () => new Promise(() => undefined))] });
    expect(ran.error).toBe('runtime.router_timed_out: The router deaf did not answer within 30 s.');
  });
});

describe('a function of the project that throws is what failed, in its own words', () => {
  const thrower = (): never => {
    throw new TypeError('the model is overloaded');
  };

  test.for([
    ['an agent', { agents: [defineAgent('A', thrower)] }, 'The agent "A"'],
    ['an agent that refuses later', { agents: [defineAgent('A', async () => thrower())] }, 'The agent "A"'],
    ['logic', { agents: [defineAgent('A', () => 1)], logic: [defineLogic('x', thrower)] }, 'The logic "x"'],
  ] as const)('%s', async ([, registered, who]) => {
    const ran = await runManifest(manifest([agent('a', 'A'), logic('x')], [edge('a', 'x')]), { logic: [x], ...registered });
    expect(ran.status).toBe('fail');
    expect(ran.error).toBe(`runtime.handler_failed: ${who} failed: TypeError: the model is overloaded`);
    const failed = [...ran.ends.values()].find(({ error }) => error);
    expect(failed?.error?.cause_class).toBe('subject');
  });

  test('one that gives what is not JSON fails, as a program does', async () => {
    const ran = await runManifest(manifest([agent('a', 'A')]), { agents: [defineAgent('A', () => 1n)] });
    expect(ran).toMatchObject({ status: 'fail', error: expect.stringMatching(/^runtime.bad_answer: The agent "A"/) });
  });

  test('what it expected of the product is an assertion', async () => {
    const expecting = defineAgent('A', () => {
      throw Object.assign(new Error('expected 1 to be 2'), { matcherResult: {} });
    });
    const ran = await runManifest(manifest([agent('a', 'A')]), { agents: [expecting] });
    expect(ran).toMatchObject({ status: 'fail', error: 'assertion.failed: The agent "A": Error: expected 1 to be 2' });
  });
});
