// What a person decided can be seen in the picture of the run: which way was taken, and which was not.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, defineRouter } from '../../../src/actions/runtime/registered.js';
import { planOf } from '../../../src/check/checkFile.js';
import type { TraceEntryJson } from '../../../src/evidence/models/trace.js';
import { fatesIn, Tracer } from '../../../src/evidence/trace.js';
import { boardsOf } from '../../../src/review/graph/boardsOf.js';
import { mermaid } from '../../../src/review/graph/mermaid.js';
import { PathTaken } from '../../../src/review/graph/pathTaken.js';
import { agent, edge, logic, manifest, prepareManifest, type RunOptions, runManifest } from './runManifest.js';

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

/** The lines between the boxes of the topology: `-->` is a way that was taken, `-.->` one that was not. */
async function drawnAfter(answer: 'pass' | 'fail'): Promise<{ ways: string[]; status: string }> {
  const options = { ...registered, answers: { h: answer } };
  const { compiled, registry } = prepareManifest(value, options);
  const plan = planOf(compiled, registry);
  if ('code' in plan) throw new Error(plan.message);
  const { lines, status } = await runManifest(value, options);
  const taken = new PathTaken(plan);
  const tracer = new Tracer(fatesIn([]), (entry) => taken.see(entry as TraceEntryJson));
  for (const line of lines) tracer.see(line);
  const text = mermaid(boardsOf(plan, { vocabulary: registry, flows: compiled.recipe.flows }), taken);
  const ids = new Map([...text.matchAll(/(n\d+)\[".*?<br\/>([\w-]+) ·/g)].map(([, key = '', id = '']) => [key, id]));
  const ways = [...text.matchAll(/(n\d+) (-->|-\.->)(?:\|"(.*?)"\|)? (n\d+)/g)];
  return {
    status,
    ways: ways.map(([, from = '', line, said = '', to = '']) => `${ids.get(from)} ${line} ${ids.get(to)} ${said}`.trim()),
  };
}

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
