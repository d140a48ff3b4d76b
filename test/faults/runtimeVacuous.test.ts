// Manifests that seem to prove something: a run in which no node could have failed never passes.
import { expect, test } from 'vitest';
import { defineAgent } from '../../src/formats/runtime/actions/projectHandlers.js';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { agent, edge, manifest, type RunOptions, runManifest } from '../unit/formats/runtime/runManifest.js';

const withInterface = (inputs: object, outputs: object = {}) => ({ interface: { inputs, outputs } });
const map = { id: 'm', type: 'map', items_path: 'xs', processor_node_id: 'p', concurrency_limit: 1 };
const none = withInterface({ properties: { xs: { type: 'array', default: [] } } });
const sub = { id: 's', type: 'recipe', recipe_id: 'c', input_mapping: {}, output_mapping: {} };
const agents = [defineAgent('P', () => 1)];

/** Runs ten times as fast as the real clock, so that the timeout of an agent comes sooner. */
const fastClock: Clock = {
  ...systemClock,
  now: () => 10 * systemClock.now(),
  after: (ms, then) => systemClock.after(ms / 10, then),
};

const vacuous: readonly [what: string, value: object, options?: RunOptions][] = [
  ['no nodes', manifest([])],
  ['outputs that may be anything', manifest([], [], withInterface({}, { type: 'object', additionalProperties: true }))],
  ['outputs that may be missing', manifest([], [], withInterface({}, { properties: { a: { type: 'string' } } }))],
  ['inputs and no nodes', manifest([], [], withInterface({ properties: { a: { type: 'string', default: 'x' } } }))],
  ['a map over an empty list', manifest([map, agent('p', 'P')], [], none), { agents }],
  ['a nested manifest without nodes', manifest([sub]), { others: [manifest([], [], { id: 'c' })] }],
];

test.for(vacuous)('a manifest with %s has the verdict unknown', async ([, value, options]) => {
  const { status, reason } = await runManifest(value, options);
  expect(status).toBe('unknown');
  expect(reason).toBe('the recipe proves nothing: no executed node could have failed');
});

test('a manifest with a required output fails without the output, whatever its agents return', async () => {
  const withRequiredOutput = withInterface({}, { required: ['summary'] });
  for (const answer of [null, 'pass', { status: 'pass' }, { output: { verdict: 'pass' }, state: {} }]) {
    const result = await runManifest(manifest([agent('p', 'P')], [], withRequiredOutput), {
      agents: [defineAgent('P', () => answer)],
    });
    expect(result).toMatchObject({ status: 'fail', reason: expect.stringContaining('"summary\\" is required') });
  }
});

test('an answer of an agent after its timeout does not count', async () => {
  const lateAnswers: (() => void)[] = [];
  const slow = defineAgent('Slow', () => new Promise((resolve) => lateAnswers.push(() => resolve({ summary: 'late' }))));
  const policy = { policy: { timeout: 1, max_retries: 0 }, ...withInterface({}, { required: ['summary'] }) };
  const result = await runManifest(manifest([agent('a', 'Slow'), agent('b', 'P')], [edge('a', 'b')], policy), {
    agents: [slow, ...agents],
    clock: fastClock,
  });
  for (const sendAnswer of lateAnswers) sendAnswer();
  expect(result).toMatchObject({ status: 'fail', reason: expect.stringContaining('did not finish within 1000 ms') });
  expect(result.executed).not.toContain('topology/b');
});
