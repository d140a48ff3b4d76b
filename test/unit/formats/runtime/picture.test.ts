// The picture of a run shows which edges a decision of a person has taken.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, defineRouter } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { drawRun } from './drawRun.js';
import { agent, edge, logic, manifest, type RunOptions } from './runManifest.js';

const registered: RunOptions = {
  agents: [defineAgent('A', () => 'drafted'), defineAgent('Revise', () => 'revised')],
  logic: [defineLogic('publish', () => 'published'), defineLogic('count', () => 1)],
  routers: [defineRouter('my.verdict', ({ output }) => output)],
};

const router = { source_node_id: 'h', router_logic: 'my.verdict', mapping: { approved: 'publish', rejected: 'revise' } };
const value = manifest(
  [agent('draft', 'A'), { id: 'h', type: 'human' }, logic('publish'), agent('revise', 'Revise'), logic('count')],
  [edge('draft', 'h'), router, edge('draft', 'count', '{{ output == "drafted" }}')],
);

const drawAfter = (answer: 'pass' | 'fail') => drawRun(value, { ...registered, answers: { h: answer } });

describe('the picture of a run', () => {
  test('the picture shows the edge of an approval and of a rejection, with the conditions of the manifest', async () => {
    const approved = await drawAfter('pass');
    expect(approved.edges.slice(3)).toEqual([
      'draft --> h',
      'draft --> count if output #61;#61; #34;drafted#34;',
      'h --> publish if my.verdict is #34;approved#34;',
      'h -.-> revise if my.verdict is #34;rejected#34;',
    ]);
    const rejected = await drawAfter('fail');
    expect(rejected.edges.slice(5)).toEqual([
      'h -.-> publish if my.verdict is #34;approved#34;',
      'h --> revise if my.verdict is #34;rejected#34;',
    ]);
    expect([approved.status, rejected.status]).toEqual(['pass', 'pass']);
  });

  test('the picture has no edge for nodes that only wait for each other', async () => {
    // `count` and `h` are in one layer, so the nodes after `h` wait for both.
    expect((await drawAfter('pass')).edges.filter((line) => line.startsWith('count'))).toEqual([]);
  });
});
