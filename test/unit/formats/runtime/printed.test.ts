// A manifest with every type of node and edge can be printed as Recipe v1, read again and run.
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src/document/readDocument.js';
import { recipeV1 } from '../../../../src/formats/classic/compile.js';
import { defineAgent, defineLogic } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { escapeBraces, unescapeBraces } from '../../../../src/formats/runtime/escapeBraces.js';
import { agent, edge, logic, manifest, prepareManifest, runManifest } from './runManifest.js';

const child = manifest([logic('k', 'echo')], [], { id: 'child', interface: { inputs: {}, outputs: { properties: { k: {} } } } });

/** A manifest with every type of node and edge, and with ids that Recipe v1 does not allow. */
const everything = manifest(
  [
    agent('plan {{a}}', 'Plan', { config: { text: '{{ inputs.topic }} \\ {{{x}}}' }, visual: { label: 'Plan' } }),
    { id: 'ask/me', type: 'human', visual: { label: 'step' } },
    agent('item', 'Work'),
    { id: 'all', type: 'map', items_path: 'list', processor_node_id: 'item', concurrency_limit: 2 },
    { id: '', type: 'recipe', recipe_id: 'child', input_mapping: { list: 'list' }, output_mapping: { k: 'kk' } },
    agent('vote', 'Chair', { council_config: { strategy: 'majority', voters: ['Work', 'Plan', 'Other'] } }),
    logic('end', 'echo'),
  ],
  [
    edge('plan {{a}}', 'ask/me'),
    edge('ask/me', 'all', 'approved'),
    edge('all', '', '{{ state.list }}'),
    { source_node_id: 'ask/me', router_logic: 'coreason.lib.router.identity', mapping: { approved: 'vote', rejected: 'end' } },
    { source_node_id: 'all', router_logic: { operator: 'exists', args: ['$state.list'] }, mapping: { true: '', false: 'end' } },
    edge('vote', 'end'),
  ],
  {
    name: 'plan',
    policy: { max_steps: 30, max_retries: 1, timeout: 20 },
    interface: { inputs: { properties: { topic: { type: 'string' } } }, outputs: {} },
  },
);

const options = {
  agents: [
    defineAgent('Plan', ({ config, vote }) => (vote ? 'no' : { output: config, state: { list: [1, 2, 3] } })),
    defineAgent('Work', ({ item }) => ({ output: item ?? 'yes' })),
    defineAgent('Other', () => ({ output: 'yes' })),
  ],
  logic: [defineLogic('echo', ({ state }) => ({ output: 'echoed', state: { k: Object.keys(state).length } }))],
  ...{ others: [child], inputs: { topic: 'tea' }, answers: { 'ask-me-1': 'pass' } as const },
};

describe('a manifest with every type of node and edge', () => {
  test('a manifest with every type of node and edge runs', async () => {
    const result = await runManifest(everything, options);
    expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined, skipped: [] });
    expect(result.output('topology/plan-a-0')).toEqual({ text: 'tea \\ {{{x}}}' });
    expect(result.output('topology/vote')).toBe('yes');
    expect(result.output('topology/all')).toEqual([1, 2, 3]);
    expect(result.output('topology/node-3')).toEqual({ k: 0 });
  });

  test('a manifest with every type of node and edge has no findings', () => {
    expect(prepareManifest(everything, options).findings).toEqual([]);
  });

  test('the printed Recipe v1 document of a manifest compiles to the same nodes', () => {
    const { compiled } = prepareManifest(everything, options);
    const text = JSON.stringify(compiled.recipe.json);
    const { document } = readDocument('/lab/printed.recipe.json', Buffer.from(text));
    if (!document) throw new Error('The printed recipe is not a document.');
    const reread = recipeV1.compile(document, () => ({ problem: 'nothing is imported.' }));
    expect(reread.findings).toEqual([]);
    expect(reread.compiled?.recipe.nodes).toEqual(compiled.recipe.nodes);
  });

  test('the intent of a node adds a description to a label without information', () => {
    const { compiled } = prepareManifest(everything, options);
    const nodes = compiled.recipe.nodes.get('topology')?.body?.nodes ?? new Map();
    expect([...nodes.values()].map(({ intent }) => intent)).toEqual([
      'Plan: Ask the agent Plan for "plan ((a))"',
      'step: Wait for a person to answer "ask/me"',
      'Run "item" for each item of list',
      'Run the recipe child as the step ""',
      'Ask the council of Work, Plan, Other for "vote"',
      'Compute "end" with its logic',
    ]);
  });

  test('the origin of each node of a manifest is the line of its authored node', () => {
    const { compiled, document } = prepareManifest(everything, options);
    const topology = compiled.recipe.nodes.get('topology');
    const lineOf = (pointer = '') =>
      document.text
        .split('\n')
        .slice((compiled.origin(pointer).line ?? 1) - 1, compiled.origin(pointer).line + 1)
        .join('');
    expect(lineOf(topology?.body?.nodes.get('end')?.pointer)).toContain('"id": "end"');
    const each = topology?.body?.nodes.get('all')?.body?.nodes.get('each');
    expect(lineOf(each?.body?.nodes.get('item-0')?.pointer ?? each?.body?.nodes.get('item')?.pointer)).toContain('"id": "item"');
  });
});

test.for(['{{x}}', '\\{{', '{{{{', '{\\{', '\\\\', 'a\nb\\n', '{ {', '{{ a }} {% b %}'])(
  'the string %j stays the same after escaping and unescaping its braces',
  (text) => {
    expect(unescapeBraces(escapeBraces(text))).toBe(text);
    expect(escapeBraces(text)).not.toContain('{{');
  },
);
