// What a person decided can be seen in the picture of the run: which way was taken, and which was not.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, defineRouter } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { drawRun } from './drawRun.js';
import { agent, edge, logic, manifest, type RunOptions } from './runManifest.js';

const registered: RunOptions = {
  agents: [defineAgent('A', () => 'drafted'), defineAgent('Revise', () => 'revised')],
  logic: [defineLogic('publish', () => 'published'), defineLogic('count', () => 1)],
  routers: [defineRouter('my.verdict', ({ output }) => output)],
};

const asked = { source_node_id: 'h', router_logic: 'my.verdict', mapping: { approved: 'publish', rejected: 'revise' } };
const value = manifest(
  [agent('draft', 'A'), { id: 'h', type: 'human' }, logic('publish'), agent('revise', 'Revise'), logic('count')],
  [edge('draft', 'h'), asked, edge('draft', 'count', '{{ output == "drafted" }}')],
);

const drawnAfter = (answer: 'pass' | 'fail') => drawRun(value, { ...registered, answers: { h: answer } });

describe('the picture of a run', () => {
  test('shows the way of an approval and that of a rejection, each with its condition in the words of the manifest', async () => {
    const approved = await drawnAfter('pass');
    expect(approved.ways.slice(3)).toEqual([
      'draft --> h',
      'draft --> count if output #61;#61; #34;drafted#34;',
      'h --> publish if my.verdict is #34;approved#34;',
      'h -.-> revise if my.verdict is #34;rejected#34;',
    ]);
    const rejected = await drawnAfter('fail');
    expect(rejected.ways.slice(5)).toEqual([
      'h -.-> publish if my.verdict is #34;approved#34;',
      'h --> revise if my.verdict is #34;rejected#34;',
    ]);
    expect([approved.status, rejected.status]).toEqual(['pass', 'pass']);
  });

  test('has no line for what a node only waits for, since nobody wrote one', async () => {
    // `count` and `h` are one layer: what follows `h` waits for both.
    expect((await drawnAfter('pass')).ways.filter((way) => way.startsWith('count'))).toEqual([]);
  });
});
