// Manifests that look as if they proved something: a run in which nothing could have failed is never green.
import { expect, test } from 'vitest';
import { defineAgent } from '../../src/formats/runtime/actions/projectHandlers.js';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { agent, edge, manifest, type RunOptions, runManifest } from '../unit/formats/runtime/runManifest.js';

const face = (inputs: object, outputs: object = {}) => ({ interface: { inputs, outputs } });
const map = { id: 'm', type: 'map', items_path: 'xs', processor_node_id: 'p', concurrency_limit: 1 };
const none = face({ properties: { xs: { type: 'array', default: [] } } });
const sub = { id: 's', type: 'recipe', recipe_id: 'c', input_mapping: {}, output_mapping: {} };
const agents = [defineAgent('P', () => 1)];

/** Ten times as fast as the real one: an agent that never answers is given up sooner. */
const hurryingClock: Clock = {
  ...systemClock,
  now: () => 10 * systemClock.now(),
  after: (ms, then) => systemClock.after(ms / 10, then),
};

const vacuous: readonly [what: string, value: object, options?: RunOptions][] = [
  ['no nodes at all', manifest([])],
  ['outputs that may be anything', manifest([], [], face({}, { type: 'object', additionalProperties: true }))],
  ['outputs that may be missing', manifest([], [], face({}, { properties: { a: { type: 'string' } } }))],
  ['inputs that are checked, and then nothing', manifest([], [], face({ properties: { a: { type: 'string', default: 'x' } } }))],
  ['a map over an empty list', manifest([map, agent('p', 'P')], [], none), { agents }],
  ['a recipe without nodes inside of another', manifest([sub]), { others: [manifest([], [], { id: 'c' })] }],
];

test.for(vacuous)('%s: the verdict is unknown', async ([, value, options]) => {
  const { status, reason } = await runManifest(value, options);
  expect(status).toBe('unknown');
  expect(reason).toBe('the recipe proves nothing: no executed node could have failed');
});

test('one that promises something fails without it, whatever its agents say', async () => {
  const promise = face({}, { required: ['summary'] });
  for (const gives of [null, 'pass', { status: 'pass' }, { output: { verdict: 'pass' }, state: {} }]) {
    const ran = await runManifest(manifest([agent('p', 'P')], [], promise), { agents: [defineAgent('P', () => gives)] });
    expect(ran).toMatchObject({ status: 'fail', reason: expect.stringContaining('"summary\\" is required') });
  }
});

test('an agent cannot settle later what it did not do in time', async () => {
  const late: (() => void)[] = [];
  const slow = defineAgent('Slow', () => new Promise((resolve) => late.push(() => resolve({ summary: 'late' }))));
  const policy = { policy: { timeout: 1, max_retries: 0 }, ...face({}, { required: ['summary'] }) };
  const ran = await runManifest(manifest([agent('a', 'Slow'), agent('b', 'P')], [edge('a', 'b')], policy), {
    agents: [slow, ...agents],
    clock: hurryingClock,
  });
  for (const settle of late) settle();
  expect(ran).toMatchObject({ status: 'fail', reason: expect.stringContaining('did not finish within 1000 ms') });
  expect(ran.executed).not.toContain('topology/b');
});
